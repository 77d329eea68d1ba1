"""How failures are told in languages other than English and Chinese.

One line per language: the turns of phrase a message refuses with. An empty search ("no se
encontraron resultados") is no failure, so that only a certain thing can be missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.evidence.error_vocabulary import SOME_WORDS

if TYPE_CHECKING:
    from assay.evidence.failure_kinds import Kind

# What a message opens with.
_OPENERS = (
    (
        r"fehler (?:beim?|während|aufgetreten)\b|ungültige[rsn]? |unbekannte[rs]? \w+\s*[:'\"„]"
        r"|fehlende[rs]? \w+\s*[:'\"„]|zeitüberschreitung\b|keine? (?:zugriff|berechtigung"
        r"|verbindung)"
        r"|bitte (?:geben|wählen|angeben)\b|leider konnten? |(?:ein"
        r"|der) (?:\w+ )?fehler ist aufgetreten"
    ),
    (
        r"échec (?:de|du|lors)|échec d'|erreur (?:lors|interne|inattendue|de (?:connexion|lecture"
        r"|syntaxe|validation|serveur))|une erreur (?:\w+ )?(?:est survenue|s'est produite)"
        r"|impossible d(?:e |')|accès (?:refusé|interdit)|délai (?:d'attente )?(?:dépassé|expiré)"
        r"|nous n'avons pas pu |vous n'(?:êtes|avez) pas |vous ne pouvez |vous devez "
        r"|paramètre manquant|veuillez (?:fournir|saisir|indiquer|préciser|entrer)\b"
        r"|désolé, "
    ),
    (
        r"error (?:al|interno|inesperado|de (?:conexión|autenticación|validación|sintaxis"
        r"|servidor))\b|no se (?:pudo|pudieron|puede|pueden|ha podido|permite|reconoce|admite) "
        r"|no se (?:ha )?(?:encontr(?:ó|ado)) (?:el|la|al|dich[oa]) |acceso (?:denegado|prohibido)"
        r"|tiempo de espera (?:agotado|excedido)|(?:ha ocurrido|se ha producido|se produjo"
        r"|ocurrió) un error|no (?:tiene|tienes|dispone de) permiso|fall(?:o|ó) (?:al|la|el)\b"
        r"|saldo insuficiente|falta(?:n)? (?:el|la|los|las|un) (?:campo|parámetro|argumento)"
        r"|lo sentimos, |demasiad[oa]s intentos\b|sin permisos?\b|no pud(?:e|o|imos) "
        r"|credenciales (?:inválid"
        r"|incorrect)[oa]s"
        r"|sesión (?:requerida|expirada|caducada)|falta(?:n)? \w*[A-Z_]\w*|(?:indica|indique"
        r"|introduzca|ingrese"
        r"|especifique) (?:el"
        r"|la|un|una)\b"
    ),
    (
        r"não foi possível |erro (?:ao|interno|inesperado|na|no|de (?:conexão|autenticação"
        r"|validação))\b|acesso negado|tempo (?:limite )?(?:esgotado|excedido)|falha (?:ao|na|no)\b"
        r"|ocorreu um erro|você não (?:tem permissão|pode )"
    ),
    (
        r"impossibile \w+re\b|errore (?:durante|del|nel|nella|interno|di (?:connessione|rete))\b"
        r"|si è verificato un errore|accesso (?:negato|vietato)|tempo scaduto|non è possibile "
    ),
    (
        r"fout (?:bij|tijdens)\b|toegang geweigerd|er is een fout opgetreden|kan (?:het|de|geen) "
        r"[^\n]{1,60} (?:niet )?(?:vinden|openen|laden|lezen)"
    ),
    (
        r"ошибка (?:при|сервера|доступа|подключения|авторизации|базы)|не удалось |недостаточно"
        r" (?:прав|средств|места)|доступ (?:запрещ[её]н|закрыт)|неверн(?:ый|ая|ое|ые) |превышен"
        r"|у (?:вас|тебя) нету? прав|укажите |введите |нужно |необходимо |невозможно "
        r"|отсутствует обязательн|истекло время"
        r"|время ожидания"
    ),
    (
        r"nie (?:można|udało się|znaleziono (?!wynik|żadn))|brak (?:dostępu|uprawnień)"
        r"|błąd (?:podczas|serwera)"
    ),
    r"เกิดข้อผิดพลาด|ไม่พบ(?!ผลลัพธ์|ข้อมูล)",
    r"hata oluştu|(?:\w+ ){1,2}hatası\s*:|erişim (?:reddedildi|engellendi)|geçersiz ",
)
# What is said of a thing at the end of a clause; some words may stand before.
_VERDICTS = (
    (
        r"(?:wurde )?nicht gefunden|existiert (?:nicht|bereits)|(?:ist|sind|wird) nicht"
        r" (?:möglich|erlaubt"
        r"|zulässig|unterstützt|verfügbar|erreichbar|gültig|berechtigt)|bereits vorhanden"
        r"|ist (?:ungültig|abgelaufen|erforderlich|gesperrt|ein pflichtfeld)|fehlgeschlagen"
        r"|verweigert|(?:konnte|kann) (?:[^\s:]+ ){0,6}?nicht (?:[^\s:]+ ){0,4}?werden"
        r"|muss (?:angegeben|größer|kleiner|zwischen|eine?)|(?:darf|dürfen) nicht"
    ),
    (
        r"introuvables?|n'existe pas|n'(?:a|ont) pas (?:pu|été \w+ée?s?)|existe déjà|inconnue?"
        r"|requise?s?(?=[.!]?\s*\Z)"
        r"|(?:est|sont) (?:invalide|obligatoire|requis|expiré|inaccessible|indisponible)"
        r"|n'est pas (?:valide|autorisé|disponible|pris|reconnu|permis)|non (?:autorisée?|valide"
        r"|pris en charge|reconnue?)|manquante?s?|doi(?:t|vent) être|a expiré|a échoué|ne peut pas"
    ),
    (
        r"desconocid[oa]|no (?:est[áa]n? (?:disponible|permitid|autorizad)\w*|existe|encontrad[oa]"
        r"|autorizad[oa]|válid[oa]|disponible|permitid[oa]"
        r"|soportad[oa]|fue encontrad[oa])|ya existe|es (?:obligatori[oa]|requerid[oa]"
        r"|inválid[oa])|deben? (?:ser|estar|tener|contener)|ha (?:fallado|caducado|expirado)"
        r"|no puede (?:estar|ser)|no es (?:válid[oa]|compatible)|denegad[oa]|rechazad[oa]"
    ),
    (
        r"desconhecid[oa]|não (?:existe|encontrad[oa]|autorizad[oa]|permitid[oa]|disponível"
        r"|suportad[oa]"
        r"|foi encontrad[oa]|pode (?:estar|ser)|é (?:válid[oa]|suportad[oa]))|já existe"
        r"|é (?:obrigatóri[oa]|inválid[oa])|deve (?:ser|ter|conter)|expirou|negad[oa]"
    ),
    (
        r"sconosciut[oa]|non (?:trovat[oa]|esiste|autorizzat[oa]|disponibile|consentit[oa]"
        r"|supportat[oa]"
        r"|è (?:valid[oa]|supportat[oa]|consentit[oa]))|esiste già|è (?:obbligatori[oa]"
        r"|scadut[oa]|richiest[oa])|deve essere|fallit[oa]"
    ),
    (
        r"niet gevonden|bestaat (?:niet|al)|is (?:verplicht|ongeldig|verlopen|niet toegestaan)"
        r"|mislukt|geweigerd"
    ),
    (
        r"не (?:найден[оаы]?|существует|поддерживается|указан[оаы]?|может быть|разреш[её]н[оаы]?"
        r"|доступ(?:ен|на|но|ны))|уже существует|ист[её]к(?:ла|ло)?|недействител(?:ен|ьна|ьно)"
        r"|обязател(?:ен|ьно)|запрещ[её]н[оаы]?|должн[оаы]? быть"
    ),
    r"nie (?:istnieje|została? znaleziony?)|już istnieje|jest (?:wymagane|nieprawidłowe)",
    r"bulunamadı|başarısız|bırakılamaz|okunamadı|zorunludur|mevcut değil|süresi doldu|izniniz yok",
    r"hittades inte|blev ikke fundet|ble ikke funnet|misslyckades|mislykkedes|är ogiltigt?",
    r"không (?:hợp lệ|tìm thấy|thể|tồn tại|được phép)|thất bại|tidak (?:ditemukan|valid|dapat|ada)",
    r"не знайден[оаий]+|nebyla? nalezena?|nem található|nu a fost găsit|δεν βρέθηκε|ei löydy",
    r"غير (?:موجود|صالح|مسموح|متاح)|فشل|תקין|לא נמצא|नहीं मिल[ाी]|अमान्य|विफल",
    # What asks for another try did not do it.
    (
        r"(?:bitte )?(?:später|erneut) (?:erneut|noch ?einmal|versuchen)|réessaye[zr]|inténtelo"
        r"|intente (?:de nuevo|más tarde)|tente novamente|riprova(?:re|te)?"
        r"|попробуйте (?:позже|снова|ещ[её])"
    ),
)
# Japanese and Korean say it last, without spaces between most words.
_EASTERN = (
    (
        r"(?!(?:該当|検索|条件)|[^\n]{0,12}結果)[^\n。]{0,60}(?:見つかりません|存在しません"
        r"|失敗しました"
        r"|(?:でき|られ|せ|れ)ません(?:でした)?(?:\Z|。|、|:|：)|エラーが発生|(?:無効|不正"
        r"|必須)です"
        r"|正しくありません|許可されていません|権限がありません|期限が?切れ"
        r"|タイムアウト(?:しました|です)"
        r"|サポートされていません|不正な[^\n]{1,12}です|(?:既|すで)に(?:存在|使用|登録)"
        r"|なければなりません|拒否されました"
        r"|上限に達し|(?:入力|指定|ログイン)してください|(?:再度|もう一度"
        r"|しばらく)[^\n]{0,12}ください)"
    ),
    (
        r"(?![^\n]{0,12}결과)[^\n.]{0,60}(?:오류가 발생|찾을 수 없습니다|존재하지 않습니다"
        r"|실패(?:했|하였)습니다|수 없습니다|유효하지 않|권한이 없습니다|만료되었습니다"
        r"|시간이? ?초과|거부되었습니다|지원(?:하지|되지) 않|이미 (?:존재|사용)"
        r"|(?:한도|제한)를? 초과|입력해 ?주세요|필수입니다|(?:로그인|인증|권한)이 필요합니다"
        r"|다시 시도)"
        r"|잘못된 "
    ),
)
FOREIGN = ("|".join(_OPENERS), rf"{SOME_WORDS}(?:{'|'.join(_VERDICTS)})(?!\w)", *_EASTERN)

# The same as kinds, for messages that are known to tell of a failure and whose English words, if
# any, say little. Most specific first; what stands after the bar needs no beginning of a word.
FOREIGN_KINDS: tuple[tuple[Kind, str], ...] = (
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
            r"\b(?:anmeld(?:ung|en)|nicht angemeldet|authenti(?:fi[zc]|sier)|jeton|connectez-vous"
            r"|autentica(?:ci[oó]n|ção|zione)|credencial|inici(?:e|ar) sesi[oó]n|inloggen|авториз"
            r"|аутентиф|токен|(?:sitzung|sesión|session|sessão) [^\n]{0,12}(?:abgelaufen|expir"
            r"|requer"
            r"|caducad))|認証|ログイン|トークン|APIキー|인증|로그인|토큰"
        ),
    ),
    (
        "permission",
        (
            r"\b(?:zugriff|berechtigung|accès (?:refusé|interdit)|autorisations?|non autorisé"
            r"|pas autorisé|droits|acceso (?:denegado|prohibido)|permiso|no autorizad"
            r"|acesso negado|permissão"
            r"|accesso (?:negato|vietato)|autorizzat|toegang|недостаточно прав"
            r"|доступ (?:запрещ|закрыт)|uprawnie|dostępu|erişim)|権限|アクセスが拒否|許可|권한|거부"
        ),
    ),
    (
        "timeout",
        (
            r"\b(?:zeitüberschreitung|délai|tiempo de espera|tempo (?:limite|esgotado|scaduto"
            r"|excedido)|время ожидания)|タイムアウト|시간이? ?초과"
        ),
    ),
    (
        "network_error",
        (
            r"\b(?:verbindung|netzwerk|connexion|réseau|conexi[oó]n|conexão|connessione|rete\b"
            r"|verbinding|подключ|соединени)|接続|ネットワーク|연결|네트워크"
        ),
    ),
    (
        "unavailable",
        (
            r"\b(?:nicht (?:verfügbar|erreichbar)|indisponible|no (?:está )?disponible|indisponível"
            r"|non disponibile|недоступ)|利用できません|メンテナンス|점검"
        ),
    ),
    (
        "conflict",
        (
            r"\b(?:existiert bereits|bereits vorhanden|existe déjà|ya existe|já existe|esiste già"
            r"|bestaat al|уже существует|już istnieje)|(?:既|すで)に(?:存在|使用|登録)"
            r"|이미 (?:존재|사용)"
        ),
    ),
    (
        "missing_required_field",
        (
            r"\b(?:erforderlich|pflichtfeld|(?:muss|müssen) angegeben|obligatoire|requis\b|manquant"
            r"|obligatori[oa]|requerid[oa]|faltan?\b|obrigatóri|obbligatori|verplicht|обязател"
            r"|не указан|wymagan|zorunlu|bırakılamaz|укажите|введите|нужно|необходимо|indi(?:ca"
            r"|que)\b"
            r"|ingrese"
            r"|introduzca|veuillez|bitte (?:geben|wählen|angeben))|必須|(?:入力|指定)してください"
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
            r"\b(?:ungültig|invalides?\b|n'est pas valide|inválid|no (?:es )?válid|non (?:è )?valid"
            r"|ongeldig|ogiltig|ugyldig|neplatn|không hợp lệ|tidak valid|неверн|недействител"
            r"|nieprawidłow|geçersiz|muss (?:größer|kleiner|zwischen"
            r"|eine?)|doi(?:t|vent) être|deben? (?:ser|estar|tener)|deve (?:ser|ter|conter|essere)"
            r"|должн[оаы]? быть)|غير صالح|अमान्य|無効|不正|正しくありません|なければなりません"
            r"|유효하지|잘못된"
        ),
    ),
    (
        "not_found",
        (
            r"\b(?:nicht (?:gefunden|vorhanden)|existiert nicht|introuvable|n'existe pas"
            r"|trouv(?:é|er)|encontr(?:ó|ad|ar)|no existe|não existe|non (?:trovat|esiste)"
            r"|niet gevonden|bestaat niet|не найден|не существует|nie (?:istnieje|znalez)"
            r"|bulunamadı|hittades inte|ikke fun[dn]et|không tìm thấy|tidak ditemukan|не знайден"
            r"|nenalezen|nem található|sconosciut|inconnue?\b|descon(?:oc|hec)id|không có)"
            r"|غير موجود|לא נמצא|नहीं मिल"
            r"|見つかりません|存在しません|찾을 수 없|존재하지"
        ),
    ),
    (
        "unsupported",
        (
            r"\b(?:nicht (?:unterstützt|erlaubt|zulässig)|pris en charge|non supporté|soportad"
            r"|suportad|supportat|не поддерживается|ondersteund)|サポートされて|지원(?:하지|되지)"
        ),
    ),
    (
        "rule_violation",
        (
            r"\b(?:no se puede|überschr|dépass|excede\b|supera\b|превыш|darf nicht|dürfen nicht)"
            r"|上限|초과"
        ),
    ),
    (
        "execution_error",
        (
            r"\b(?:fehlgeschlagen|fehler|échec|erreur|fall(?:o|ó|ado)\b|erro\b|errore|mislukt"
            r"|ошибка|не удалось|błąd|hata(?:sı)?\b)|失敗|エラー|실패|오류"
        ),
    ),
)
