"""Words by which a kind of failure is known in languages other than English and Chinese."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.evidence.accents import accents_aside

if TYPE_CHECKING:
    from assay.evidence.failure_kinds import Kind

# The same as kinds, for messages that are known to tell of a failure and whose English words, if
# any, say little. Most specific first; what stands after the bar needs no beginning of a word.
_KINDS: tuple[tuple[Kind, str], ...] = (
    (
        "unknown_tool",
        (
            r"\b(?:ferramenta desconhecida|herramienta desconocida|outil inconnu"
            r"|unbekanntes werkzeug"
            r"|неизвестный инструмент|strumento sconosciuto)|ツールが見つかり|도구를 찾을"
            r"|알 수 없는 (?:도구|함수)|(?:不明|未知)なツール"
        ),
    ),
    (
        "missing_required_field",
        (
            r"\b(?:ist erforderlich|est (?:requis|obligatoire)|es (?:requerid|obligatori)"
            r"|é obrigatóri|être vide|быть пуст|fichier vide|^\W*aucune? \w+\W*$"
            r"|estar (?:vací|vazi)"
            r"|необходимы?\b)|が(?:入力|指定|選択)されていません"
        ),
    ),
    (
        "rate_limit",
        (
            r"\b(?:zu viele (?:anfragen|versuche)|trop de (?:requêtes|tentatives)|demasiad[oa]s"
            r" (?:peticiones|solicitudes|intentos)|muitas (?:requisições|tentativas)|слишком много"
            r" (?:запросов|попыток)|troppe richieste)|リクエストが多|요청이 너무 많"
        ),
    ),
    (
        "data_processing_error",
        (
            r"\b(?:ungültige antwort|leere antwort|réponse (?:invalide|inattendue|vide)"
            r"|respuesta (?:inválida|vacía|inesperada)|resposta (?:inválida|vazia|inesperada)"
            r"|(?:некорректн|неверн|пуст)\w{1,3} (?:\S+ ){0,3}ответ|não devolveu|no devolvi"
            r"|не (?:вернул|прислал)[аои]?\b)"
            r"|(?:応答|レスポンス)が(?:不正|空)|응답이 (?:비어|올바르지)"
        ),
    ),
    (
        "configuration",
        (
            r"\b(?:nicht gesetzt|aucune? (?:\S+ ){1,4}?configuré|nicht (?:konfiguriert|installiert"
            r"|aktiviert)|(?:pas|non) (?:configuré|installé"
            r"|activé)"
            r"|no (?:está )?(?:configurad|instalad|habilitad)|nicht gesetzt"
            r"|não (?:está )?(?:configurad"
            r"|instalad|habilitad"
            r"|definid)|non (?:è )?(?:configurat|installat)|не (?:настроен|сконфигурирован"
            r"|установлен)"
            r"|nie (?:skonfigurowan|zainstalowan)|(?-i:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+) (?:não"
            r"|no se|nicht|non|не\b|n'est)|(?:нет|keine?n?|sin|sem|pas de|falta)"
            r" (?-i:[A-Z][A-Z0-9]*"
            r"(?:_[A-Z0-9]+)+)|(?-i:PATH\b)|переменн\w+ окружения"
            r"|variable de entorno|vari[áa]vel de ambiente|variable d'environnement"
            r"|umgebungsvariable|конфигурац|настройк\w+ (?:не|отсутств))"
            r"|設定されていません|設定してください|未設定|無効化|設定が必要|連携されて|비활성화"
            r"|설정해야"
            r"|설정되지|설정이 필요|설치되"
        ),
    ),
    (
        "quota_exceeded",
        (
            r"\b(?:kontingent|solde insuffisant|saldo insuficiente|недостаточно средств)"
            r"|残高|クォータ|한도"
        ),
    ),
    (
        "auth",
        (
            r"\b(?:identifiants|credencia(?:is|les)|credenziali|zugangsdaten|mot de passe"
            r"|contraseña|passwort|anmeld(?:ung|en)|nicht angemeldet|authenti(?:fi[zc]|sier)|jeton"
            r"|connectez-vous"
            r"|autentica(?:ci[oó]n|ção|zione)|credencial|inici(?:e|ar) sesi[oó]n|inloggen|авториз"
            r"|аутентиф|токен|(?:sitzung|sesión|session|sessão) [^\n]{0,12}(?:abgelaufen|expir"
            r"|requer"
            r"|caducad)|(?:cl[ée]|clave|chave|chiave) (?:d[aei] |d')?api|api-schlüssel|api-?ключ"
            r"|не авторизован|não autenticad)|認証|ログイン|トークン|APIキー|인증|로그인|토큰"
        ),
    ),
    (
        "permission",
        (
            r"\b(?:zugriff|berechtigung|accès (?:refusé|interdit)|autorisations?|non autorisé"
            r"|pas autorisé|droits|fora d[oa] |acceso (?:denegado|prohibido)|permiso|no autorizad"
            r"|acesso negado|permissão"
            r"|accesso (?:negato|vietato)|autorizzat|toegang|недостаточно прав"
            r"|доступ (?:запрещ|закрыт)|нет (?:прав|доступа)|только \w+ (?:может|могут)"
            r"|вне (?:разреш|допуст)|путь вне"
            r"|sem permiss|sin permiso|uprawnie|dostępu|erişim|заблокирован|блокирован\w+"
            r"|por (?:seguridad|segurança)|raisons? de sécurité|aus sicherheits"
            r"|из соображений безопасн|bloquead[oa]|bloquée?|blockiert|gesperrt"
            r"|(?:белом|черном) списк|(?:thiếu|không (?:có|đủ)) quyền)|دسترسی|غير مصرح|権限"
            r"|アクセスが拒否|許可|권한"
            r"|거부"
        ),
    ),
    (
        "timeout",
        (
            r"\b(?:zeitüberschreitung|лимит времени|превы\w+ (?:\S+ ){0,2}врем|таймаут|истекло"
            r"|délai|tiempo de espera|tempo (?:limite"
            r"|esgotado|scaduto"
            r"|excedido)|врем(?:я|ени) ожидания|слишком много времени|zu lange|trop de temps"
            r"|demasiado tiempo)|タイムアウト|시간이? ?초과"
        ),
    ),
    (
        "network_error",
        (
            r"\b(?:verbindung|netzwerk|connexion|réseau|conexi[oó]n|se connecter|conectar"
            r"|verbinden|conexão|connessione|rete\b"
            r"|verbinding|подключ|соединени|нет связи|não há conexão)|接続|ネットワーク|연결"
            r"|네트워크"
        ),
    ),
    (
        "unavailable",
        (
            r"\b(?:nicht (?:verfügbar|erreichbar)|indisponible|non disponible|tidak tersedia"
            r"|không khả dụng|keyinroq|no (?:está )?disponible"
            r"|indisponível|não (?:está )?disponível|nicht verfuegbar|não respond|no respond"
            r"|kein\w* \S+ (?:\S+ )?verfügbar|já encerrou|no produj|ainda está"
            r"|не отвечает|antwortet nicht|reagiert nicht|ne répond pas|später (?:erneut|noch)"
            r"|réessaye|inténtelo|intente (?:de nuevo"
            r"|más tarde)"
            r"|tente novamente|попробуйте (?:позже|снова)|повторите (?:запрос |попытку )?позже"
            r"|non disponibile|недоступ)|利用できません|メンテナンス|しばらく|점검|잠시 후"
            r"|다시 시도"
        ),
    ),
    (
        "conflict",
        (
            r"\b(?:existiert bereits|ya tiene|đã [^\n]{0,20}rồi|ya está|já (?:cadastrad|est[áa]"
            r"|possui|foi)|déjà|già"
            r"|уже|bereits|acabou de ser|existe déjà|ya existe|já existe|esiste già"
            r"|bestaat al|уже существует|już istnieje)|(?:既|すで)に(?:存在|使用|登録)"
            r"|(?:既|すで)に|済みです|完売|이미 "
        ),
    ),
    (
        "missing_required_field",
        (
            r"\b(?:erforderlich|aucune? \w+ (?:fourni|sélectionné|spécifié)|necess[aá]ri[oa]s?\b"
            r"|necesari[oa]|не передан|pflichtfeld|(?:muss|müssen) angegeben|obligatoire|requis\b"
            r"|manquant"
            r"|obligatori[oa]|requerid[oa]|faltan?\b|obrigatóri|obbligatori|verplicht|обязател"
            r"|не указан|wymagan|zorunlu|bırakılamaz|укажите|введите|нужно|необходимо|indi(?:ca"
            r"|que)\b"
            r"|ingrese"
            r"|introduzca|veuillez|bitte (?:geben|wählen|angeben)|fehl(?:t|en)\b|nicht leer"
            r"|est vide|está vazi"
            r"|indic[aáeé] (?:el|la|un)|precisa de"
            r"|vui lòng (?:nhập|cung cấp|chọn)|thiếu (?:tham số|trường|thông tin)"
            r"|keine?[nrs]? (?:\S+ ){1,4}?(?:angegeben|übergeben|ausgewählt)|no se (?:proporcion"
            r"|especific|indic)|nenhuma? (?:\S+ ){1,4}?(?:fornecid|informad|especificad"
            r"|selecionad)|não (?:foi )?(?:fornecid|informad|especificad)|informe\b|vací[oa]\b"
            r"|ningún \S+ (?:proporcionad|indicad)|não pode (?:estar|ser) vazi|не (?:задан"
            r"|заполнен"
            r"|выбран)|отсутству|нет (?-i:[a-z]+_\w+)|non (?:fourni|renseigné|spécifié)|ausente"
            r"|aucune? (?:\S+ ){1,4}?(?:fourni|spécifié|sélectionné|indiqué|renseigné))"
            r"|必須|パラメータが不足|未(?:入力|指定)|(?:タイトル|言語|パラメータ|値)が(?:必要"
            r"|ありません)|空です|지정해|입력하세요|비어 ?있|필요합니다|입력된"
            r"|(?:入力|指定)してください"
            r"|필수|입력해"
        ),
    ),
    (
        "invalid_date_range",
        (
            r"\b(?:startdatum|enddatum|date de (?:début|fin)\b|fecha de (?:inicio|fin)"
            r"|data de (?:início|fim)|data di (?:inizio|fine)|дата (?:начала|окончания))"
            r"|開始日|終了日|시작일|종료일"
        ),
    ),
    (
        "validation_error",
        (
            r"\b(?:ungültig|no tiene (?:un |el )?formato"
            r"|invalides?\b|n'est pas valide|inv[áa]lid[oa]|no (?:es )?válid"
            r"|non (?:è )?valid"
            r"|ongeldig|ogiltig|ugyldig|neplatn|không hợp lệ|tidak valid|неверн|недействител"
            r"|nieprawidłow|geçersiz|muss (?:größer|kleiner|zwischen"
            r"|eine?)|doi(?:t|vent) être|deben? (?:ser|estar|tener)|deve (?:ser|ter|conter|essere)"
            r"|должн[оаы]? быть|trebuie|geçerli bir|\bmuss\b|müssen|ist keine?\b|unvollständig"
            r"|passt nicht|stimmt nicht|doi(?:t|vent)\b|deben?\b"
            r"|devem?\b|долж(?:ен|на|но|ны)\b|слишком|trop \w|demasiado|muito (?:longo|grande)"
            r"|не соответствует|не совпада|неверн|повреж|ne correspond|no (?:coincide|corresponde"
            r"|cumple)"
            r"|superar|zu (?:lang|kurz|groß)|n'est pas une?\b"
            r"|no (?:es|parece) una?\b|tienen? que|kein\w* (?:gültig|regulär)|anterior a"
            r"|mismo tiempo|a la vez|não é uma?\b|не является|(?:некорректн|недопустим"
            r"|неправильн)\w"
            r"|отрицательн|не (?:понял|распознан)|incorrect[oae]|incorret|fuera de rango"
            r"|hors limites)"
            r"|غير صالح|अमान्य|無効|不正|正しくありません"
            r"|なければなりません|一致しません|含まれています|すぎます|ではありません"
            r"|유효하지|잘못된|올바르지|아니다|아닙니다|어야 합니다|여야 합니다|해야 합니다|너무"
            r"|형식"
        ),
    ),
    (
        "not_found",
        (
            r"\b(?:no reconocid|não reconhecid|non reconnu|nicht (?:gefunden|vorhanden)"
            r"|kein \S+ (?:\S+ ){0,4}gefunden|existiert nicht"
            r"|introuvable|n'existe pas"
            r"|trouv(?:é|er)|encontr(?:ó|ad|ar|amos)|no existe|não existe|non (?:trovat|esiste)"
            r"|niet gevonden|bestaat niet|не найден|не существует|nie (?:istnieje|znalez)"
            r"|bulunamadı|hittades inte|ikke fun[dn]et|không tìm thấy|tidak ditemukan|не знайден"
            r"|nenalezen|nem található|nije prona|belum dikenal|tidak dikenal|didapatkan|табылмады"
            r"|sconosciut|неизвестн"
            r"|no hay (?:un|una|ningún|ninguna) \S+ (?:\S+ )?(?:llamad|con ese|con el)"
            r"|inconnue?\b|descon(?:oc|hec)id|không có|не наш(?:[её]л|л)|нет (?:файла|так(?:ого"
            r"|ой)))"
            r"|غير موجود|לא נמצא|नहीं मिल"
            r"|見つかりません|存在しません|찾을 수 없|존재하지|없습니다|없음"
        ),
    ),
    (
        "unsupported",
        (
            r"\b(?:nicht (?:unterstützt|erlaubt|zulässig)|pris en charge|non supporté|soportad"
            r"|suportad|supportat|nicht implementiert|não implementad|non implémenté|не реализован"
            r"|не поддерживается|неподдерживаем|не разреш|ondersteund"
            r"|keine \S*-datei|n'est pas supporté|nur [^\n.]{2,60} (?:erlaubt|möglich)"
            r"|s[óo]lo (?:se |está|admite|acepta)|(?:apenas|somente) |только \w+\W*$)"
            r"|サポートされて|未対応|対応していません"
            r"|지원(?:하지|되지)|만 [가-힣 ]{1,10}할 수 있"
        ),
    ),
    (
        "rule_violation",
        (
            r"\b(?:zuerst|antes de\b|n(?:ão|o) (?:confirmad|seleccionad|selecionad|identificad)"
            r"|nicht (?:bestätigt|ausgewählt)|non (?:confirmé|sélectionné)|не (?:выбран|подтвержд)"
            r"|não pode|no puede|ne peut|non può|nie może|nie można"
            r"|неможливо|нельзя"
            r"|önce|d'abord|primero|primeiro|сначала|najpierw|no se puede|überschr|dépass"
            r"|excede\b|supera\b|превыш|darf nicht|dürfen nicht)"
            r"|nada a |limite [^\n]{0,30}é de|нельзя|не начат|ключен[аоы]?\b|não há|ya está"
            r"|não é possível|최대 \d|aucune? fiche|s[óo]lo hay|上限|초과|先に|먼저"
            r"|위반"
        ),
    ),
    (
        "execution_error",
        (
            r"\b(?:fehlgeschlagen|no se pudo|não foi possível|impossible d|impossibile"
            r"|error (?:del|en)\b"
            r"|fehler|échec|erreur|fall(?:o|ó|ado)\b|erro\b|errore|mislukt"
            r"|ошибка|не удалось|błąd|hata(?:sı)?\b|что-то пошло не так|etwas ist schief"
            r"|thất bại|algo (?:sali|deu)|quelque chose s'est|no (?:puedo|pudo|pude)|falhou|falha\b"
            r"|не (?:могу|смог))|失敗|エラー|できません|실패|오류|못했습니다"
        ),
    ),
)
# The engine that searches for these takes only letters of ASCII for such.
_LETTER = r"[\w\u00c0-\u024f\u0400-\u04ff]"
FOREIGN_KINDS: tuple[tuple[Kind, str], ...] = tuple(
    (kind, accents_aside(wording).replace(r"\w", _LETTER)) for kind, wording in _KINDS
)
