"""How failures are told in languages other than English and Chinese.

One line per language: the turns of phrase a message refuses with. An empty search ("no se
encontraron resultados") is no failure, so that only a certain thing can be missing.
"""

from __future__ import annotations

from assay.evidence.accents import accents_aside
from assay.evidence.error_vocabulary import SOME_WORDS
from assay.evidence.foreign_refusals import DEMANDS_BEYOND, LATIN_DEMANDS

# What a call can be told to do; cooks and travellers are told other things in the same words.
_SPANISH_GIVING = (
    r"(?:especificar|proporcionar|indicar|introducir|ingresar|seleccionar|elegir|escoger|iniciar"
    r"|configurar|activar|definir|pasar|enviar|crear|instalar|autenticarse|tener|estar|ser)\b"
)
_PORTUGUESE_GIVING = (
    r"(?:especificar|fornecer|informar|indicar|inserir|selecionar|escolher|iniciar|configurar"
    r"|ativar|definir|passar|enviar|criar|instalar|autenticar|fazer login|ter|estar|ser|que)\b"
)
# What a message opens with.
_OPENERS = (
    (
        r"fehler (?:beim?|während|aufgetreten)\b|ungültige[rsn]? |unbekannte[rs]? \w+\s*[:'\"„]"
        r"|fehlende[rs]? \w+\s*[:'\"„]|zeitüberschreitung\b|keine? (?:zugriff|berechtigung"
        r"|verbindung)"
        r"|bitte (?:geben|wählen|angeben)\b|leider konnten? |(?:ein"
        r"|der) (?:\w+ )?fehler ist aufgetreten|zu viele (?:anfragen|versuche)|etwas ist schief"
        r"|unbekannte[rs]? (?:werkzeug|tool|befehl|aktion|parameter|funktion|methode|option)\b"
        r"|keine?[nrs]? (?:\S+ ){1,4}?(?:angegeben|ausgewählt|konfiguriert|übergeben|hinterlegt"
        r"|geöffnet|verbunden|erhalten|gesetzt|verfügbar)\b|keine?[nrs]? (?:gültige"
        r"|reguläre)[nrs]? \w"
        r"|kein (?!treffer|ergebnis|eintrag)(?:\S+ ){1,6}?gefunden|keine? \S*(?:datei|zahl"
        r"|url)[.!]?\s*\Z"
        r"|(?-i:[a-z][\w.]{1,30}) (?:muss|darf nicht|fehlt|ist (?:erforderlich|ungültig))\b"
    ),
    (
        r"échec (?:de|du|lors)|échec d'|erreur (?:lors|interne|inattendue|de (?:connexion|lecture"
        r"|syntaxe|validation|serveur))|une erreur (?:\w+ )?(?:est survenue|s'est produite)"
        r"|impossible d(?:e |')|accès (?:refusé|interdit)|délai (?:d'attente )?(?:dépassé|expiré)"
        r"|nous n'avons pas pu |vous n'(?:êtes|avez) pas |vous ne pouvez |vous devez "
        r"|paramètre manquant|veuillez (?:fournir|saisir|indiquer|préciser|entrer)\b"
        r"|désolée?, (?!pas |aucun|rien )|quelque chose s'est mal passé"
        r"|trop de (?:requêtes|tentatives)"
        r"|aucune? (?:\S+ ){1,4}?(?:fournie?|spécifiée?|sélectionnée?|configurée?|indiquée?"
        r"|renseignée?|ouverte?|connectée?)\b|renseigne[zr]? (?:\S+ ){1,8}?avant de "
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
        r"|sesión (?:requerida|expirada|caducada)|falta(?:n)? \w*[A-Z_]\w*"
        r"|no se (?:escribi|guard|cre|actualiz|envi|modific|elimin|borr|cambi|agreg|añadi|proces)"
        r"(?:ó|o|aron|eron) nada\b|(?:indica|indique"
        r"|introduzca|ingrese"
        r"|especifique) (?:el"
        r"|la|un|una)\b|no (?:puedo|podemos|logré|logramos|pudieron) |algo sali[óo] mal"
        r"|no se (?:proporcion|especific|indic|recibi|configur|defini|inici|carg)(?:ó|o|aron|eron)"
        r"\b|(?:se requiere|debes?) (?:especificar|proporcionar|indicar|iniciar|configurar|un"
        r"|una|el|la) |demasiad[oa]s (?:peticiones|solicitudes)|fuera de (?:rango|los límites)"
        rf"|(?:indic|ingres|especific)[aáeé] (?:el|la|un|una)\b|hay que {_SPANISH_GIVING}"
        r"|no se (?:escane|proces"
        r"|admit|acept)an? |no hay (?:conexión|permisos?|espacio|sesión|ningun[oa] \S+ (?:activ"
        r"|abiert|configurad))"
    ),
    (
        r"não foi possível |erro (?:ao|interno|inesperado|na|no|de (?:conexão|autenticação"
        r"|validação))\b|acesso negado|tempo (?:limite )?(?:esgotado|excedido)|falha (?:ao|na"
        r"|no)\b"
        r"|ocorreu um erro|você não (?:tem permissão|pode )|não (?:consegui|conseguimos|posso"
        r"|podemos|pude) |algo deu errado|nada a \w+r\b|muitas (?:requisições|tentativas)"
        r"|sem permiss(?:ão"
        r"|ões)\b"
        r"|não há (?:conexão|permissão|espaço|sessão|\w+ (?:abert|ativ|selecionad|configurad)[oa])"
        rf"|é (?:necessário|preciso) {_PORTUGUESE_GIVING}|informe (?:o|a|um"
        r"|uma) |nenhuma? (?:\S+ ){1,4}?(?:fornecid|informad|especificad|selecionad|configurad"
        r"|conectad)[oa]\b|(?:erro|falha) (?:[^\s:]+ ){1,4}?:"
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
        r"nie (?:można|udało się|znaleziono (?!wynik|żadn))|brak (?:dostępu|uprawnień)"
        r"|(?:błąd|blad) (?:podczas|serwera|api|połączenia)|nieznan[aey] \w+\s*:"
    ),
    (
        r"(?:mangler|saknar|ugyldig|ogiltigt?|ukjent|ukendt|okänd) \w+(?:[.!:]|\s*\Z)"
        r"|(?:kunne ikke|kunde inte) \w+"
    ),
    (
        r"(?:đã xảy ra lỗi|lỗi (?:khi|kết nối|hệ thống|máy chủ))\b|vui lòng (?:nhập|cung cấp|chọn"
        r"|đăng nhập) |thiếu (?:tham số|trường|thông tin|quyền)\b|không đủ (?:quyền|số dư|tiền)\b"
        r"|(?:không|chưa) có (?!kết quả|dữ liệu|thông tin|[^'\"“\n]{1,60} nào\b)(?:\S+ ){1,4}?"
        r"['\"“]"
    ),
    r"hata oluştu|(?:\w+ ){1,2}hatası\s*:|erişim (?:reddedildi|engellendi)|geçersiz ",
)
# The same in letters beyond ASCII alone.
_OPENERS_BEYOND = (
    (
        r"ошибка (?:при|сервера|доступа|подключения|авторизации|базы)|не удалось |недостаточно"
        r" (?:прав|средств|места)|доступ (?:запрещ[её]н|закрыт)|неверн(?:ый|ая|ое|ые) |превышен"
        r"|неизвестн(?:ый|ая|ое|ые) (?:(?:инструмент|команда|параметр|метод|действие|тип)"
        r"|(?:\w+ ){0,3}\w+\s*: \S+\s*\Z)"
        r"|нет (?:открыт|активн|выбранн|подключ[её]нн|настроенн)\w+ \w+"
        r"|[^\n.!]{3,80}[.!;—] сначала \w+(?:йте|ите)\b"
        r"|не (?:могу|смог(?:ла|ли)?|понял[аи]?|наш[её]л|нашл[аи]|хватает|получилось|вышло) ?"
        r"|нет (?:связи|доступа|прав|файла|соединения|подключения|такого|такой|ответа|данных для"
        r"|(?-i:\w*[A-Za-z]_\w+))\b|(?:некорректн|недопустим|неправильн|неподдерживаем)\w{2,3} "
        r"|(?:путь|адрес|значение|файл) вне |слишком (?:много|длинн|больш|мал|коротк)\w* "
        r"|что-то пошло не так|произошла (?:\w+ )?ошибка|отсутствует "
        r"|требуется (?!\w+(?:ист|ник|щик)\w{0,2}\b)|сначала"
        r" (?:нужно|выберите|создайте|откройте|войдите|подключите)"
        r"|ошибка [^\n:]{1,40}:"
        r"|у (?:вас|тебя) нету? прав|укажите |введите |нужно |необходим[оаы]? |невозможно "
        r"|отсутствует обязательн|истекло время"
        r"|время ожидания"
    ),
    r"เกิดข้อผิดพลาด|ไม่พบ(?!ผลลัพธ์|ข้อมูล)",
)
# What tools do, so that not every story of what somebody could not do is a failure.
_GERMAN_VERBS = (
    r"(?:laden|herunterladen|hochladen|öffnen|lesen|schreiben|speichern|finden|verbinden|erreichen"
    r"|abrufen|verarbeiten|senden|erstellen|löschen|starten|auflösen|aktualisieren|importieren"
    r"|exportieren|ausführen|ermitteln|parsen|anlegen|umwandeln|generieren|zuordnen|abfragen)\b"
)
# What is said of a thing at the end of a clause; some words may stand before.
_VERDICTS = (
    (
        r"(?:wurde )?nicht gefunden|existiert (?:nicht(?! mehr)|bereits)|(?:ist|sind|wird) nicht"
        r" (?:möglich|erlaubt"
        r"|zulässig|unterstützt|verfügbar|erreichbar|gültig|berechtigt)|bereits vorhanden"
        r"|ist (?:ungültig|abgelaufen|erforderlich|gesperrt|ein pflichtfeld)|fehlgeschlagen"
        r"|verweigert|(?:konnte|kann) (?:[^\s:]+ ){0,6}?nicht (?:[^\s:]+ ){0,4}?werden"
        r"|muss (?:angegeben|größer|kleiner|zwischen|positiv|mindestens|höchstens|genau|eindeutig"
        r"|gültig)|(?:ist|sind) erforderlich|fehlt (?:das|der|die|eine?)|(?:über|unter)schreitet"
        r"|etwas schief|(?:leere|ungültige) antwort|(?:darf|dürfen) nicht"
        r"|fehl(?:t|en)(?=\s*(?:[.!:,(]|\Z))|nicht (?:erreichbar|autorisiert|konfiguriert"
        r"|initialisiert|implementiert|zugelassen|gesetzt|unterstützt|verf(?:ü|ue)gbar)"
        r"(?=\s*(?:[.!:,(–—-]|\Z))|bereits (?:vergeben"
        r"|registriert|belegt|gebucht)|konnten? (?:[^\s:]+ ){0,6}?nicht (?:[^\s:]+ ){0,3}?"
        rf"{_GERMAN_VERBS}"
        r"|ist (?:keine?[nrs]? (?:gültige|(?:\S+ ){0,2}?\S*datei|ordner|verzeichnis|zahl)\w*"
        r"|zu (?:lang|kurz"
        r"|groß|klein|alt))|überschritten|ungültig"
    ),
    (
        r"introuvables?|n'existe pas|n'(?:a|ont) pas (?:pu|été \w+ée?s?)|existe déjà|inconnue?"
        r"|requise?s?(?=[.!]?\s*\Z)"
        r"|(?:est|sont) (?:invalide|obligatoire|requis|expiré|inaccessible|indisponible)"
        r"|n'est pas (?:valide|autorisé|disponible|pris|reconnu|permis)|non (?:autorisée?|valide"
        r"|pris en charge|reconnue?)|manquante?s?|doi(?:t|vent) (?:être|avoir|contenir)|a expiré"
        r"|ne correspond(?:ent)? pas|ne peut plus|a échoué|ne peu(?:t|vent) (?:pas )?être|n'(?:est"
        r"|sont) pas (?:configuré"
        r"|initialisé|défini|supporté|accessible)\w*|(?:pas|non) (?:trouvé|fourni|défini"
        r"|configuré|spécifié|supporté|initialisé|renseigné)e?s?|est trop \w+|dépassée?"
        r"|(?:invalides?|indisponibles?)(?=\s*(?:[.!:,(]|\Z))|n'(?:expose|est \w+ à) aucune?"
    ),
    (
        r"desconocid[oa]|no (?:est[áa]n? (?:disponible|permitid|autorizad)\w*|existe|encontrad[oa]"
        r"|autorizad[oa]|válid[oa]|disponible|permitid[oa]"
        r"|soportad[oa]|fue encontrad[oa])|ya existe|es (?:obligatori[oa]|requerid[oa]"
        r"|inválid[oa])|deben? (?:ser|estar|tener|contener)|ha (?:fallado|caducado|expirado)"
        r"|no puede (?:estar|ser)|no es (?:válid[oa]|compatible)|denegad[oa]|rechazad[oa]"
        r"|no (?:está |fue |ha sido )?(?:configurad|inicializad|proporcionad"
        r"|especificad|reconocid|definid)[oa]s?|(?:inválid|incorrect)[oa]s?"
        r"(?=\s*(?:[.!:,(]|\Z))|(?:límite|cuota|tiempo) (?:\S+ ){0,4}?(?:excedid|alcanzad|superad"
        r"|agotad)[oa]|(?:ha )?(?:fallado|falló)|es demasiado \w+|tienen? que (?:estar|ser|tener)"
        r"|requiere (?:autenticación|iniciar|permisos?)"
        r"|no (?:respondi|devolvi|produj|gener|carg|complet)[óo]|no parece una?|rechaz[óo] (?:la"
        r"|el)"
        r"|prob[aá] de nuevo|intent[ae] de nuevo|no tiene (?:un |el )?formato"
    ),
    (
        r"desconhecid[oa]|não (?:existe|encontrad[oa]|autorizad[oa]|permitid[oa]|disponível"
        r"|suportad[oa]"
        r"|foi encontrad[oa]|pode (?:estar|ser)|é (?:válid[oa]|suportad[oa]))|já existe"
        r"|é (?:obrigatóri[oa]|inválid[oa])|devem? (?:ser|ter|conter)|expirou|negad[oa]"
        r"|não (?:está |foi )?(?:configurad|inicializad|fornecid|informad"
        r"|especificad|reconhecid|definid)[oa]s?|(?:(?:inválid|incorret)[oa]|ausente)s?"
        r"(?=\s*(?:[.!:,(]|\Z))|(?:limite|cota|tempo) (?:\S+ ){0,4}?(?:excedid|atingid"
        r"|esgotad)[oa]"
        r"|não (?:implementad[oa]|é possível)|acabou de ser|falhou|é muito \w+|precisam? (?:de|ser"
        r"|ter)|não (?:respondeu|devolveu|retornou|gerou)"
        r"|já (?:encerrou|terminou)|ainda (?:está (?:rodando|em)|não está)|fora d[oae] (?:projeto"
        r"|limite"
        r"|intervalo)|o limite [^\n:]{0,30}é de|não está disponível"
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
    r"nie (?:istnieje|została? znaleziony?)|już istnieje|jest (?:wymagane|nieprawidłowe)",
    r"bulunamadı|başarısız|bırakılamaz|okunamadı|zorunludur|mevcut değil|süresi doldu|izniniz yok",
    r"hittades inte|blev ikke fundet|ble ikke funnet|misslyckades|mislykkedes|är ogiltigt?",
    r"không (?:hợp lệ|tìm thấy|thể|tồn tại|được phép|có quyền)|thất bại|thiếu quyền",
    r"tidak (?:ditemukan|valid|dapat|ada)",
    (
        r"не знайден[оаий]+|nebyla? nalezena?|nem található|nu a fost găsit|nu exist[ăa]"
        r"|trebuie s[ăa] (?:fie|aib[ăa])|δεν βρέθηκε|ei löydy"
    ),
    # What asks for another try did not do it.
    (
        r"(?:bitte )?(?:später|erneut) (?:erneut|noch ?einmal|versuchen)|réessaye[zr]|inténtelo"
        r"|intente (?:de nuevo|más tarde)|tente novamente|riprova(?:re|te)?|réessaie (?:dans|plus)"
    ),
)
_VERDICTS_BEYOND = (
    (
        r"не (?:найден[оа]?|существует|поддерживается|указан[оаы]?|может быть|разреш[её]н[оаы]?"
        r"|доступ(?:ен|на|но|ны)|(?:задан|передан|настроен|заполнен|распознан|выбран"
        r"|инициализирован)[оаы]?|вернул[аои]?|удалось|является обычн)"
        r"|уже (?:существует|занят[оаы]?)"
        r"|вне (?:разреш|допуст|предел)\w+|ист[её]к(?:ла|ло)?|недействител(?:ен|ьна|ьно)"
        r"|отсутствует|превыш(?:ен|ает)[оаы]?|нельзя \w+|не (?:совпада\w+|начат[аоы]?"
        r"|реализован[аоы]?)|только \w+ (?:может|могут)|(?:прерван|разорван)[оаы]?"
        r"|не (?:прислал|ответил|сработал)[аои]?"
        r"|обязател(?:ен|ьно)|запрещ[её]н[оаы]?|должн[оаы]? быть"
    ),
    r"غير (?:موجود|صالح|مسموح|متاح)|فشل|תקין|לא נמצא|नहीं मिल[ाी]|अमान्य|विफल",
    r"попробуйте (?:позже|снова|ещ[её])",
)
# Japanese and Korean say it last, without spaces between most words.
_EASTERN = (
    (
        r"(?!(?:該当|検索|条件|見つかりません)|[^\n]{0,12}結果)[^\n。]{0,60}(?:見つかりません"
        r"|存在しません|未(?:対応|設定|入力|指定|認証|登録)です|対応していません"
        r"|(?:に|が)失敗(?=[:：\s(（。]|\Z)|不足しています"
        r"|番ではありません|問題がある|(?:長|短|大き|多)すぎます(?!が)|一致しません"
        r"|(?:使用不可|無効な|不正な)[^\n。]{0,12}含まれて|(?:入力|指定|選択)されていません"
        r"|(?:タイトル|名前|パラメータ|引数|値|URL|ID|パス|キー|トークン|本文|設定|許可|ログイン"
        r"|認証"
        r"|権限)が必要です"
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
        r"|이미 (?:있는|등록|추가)|실패했어요|최대 \d+[^\n]{0,20}까지"
        r"|만 [가-힣 ]{1,10}할 수 있습니다"
        r"|\d\S{0,6} ?(?:이하|이상|미만)(?:여|이어)야|(?:한도|제한)를? 초과|(?:입력|확인"
        r"|선택)해 ?주세요|필수입니다"
        r"|(?:로그인|인증|권한|설정)이 필요합니다|[가-힣]지 못했(?:습니다|어요)"
        r"|(?:없습니다|없다|없음|아니다|아닙니다)(?=\s*[:：])|(?:설정|초기화|연결"
        r"|등록)되지 않"
        r"|(?:올바르지|일치하지) 않|(?:실패|오류)(?=\s*(?:[:：(]|\Z))|초과(?:했|하였|되었)습니다"
        r"|너무 (?:깁니다|짧습니다|큽니다|많습니다|크다|길다|짧다|큼|김)"
        r"|다시 시도)"
        r"|잘못된 |알 수 없는 [^\n.]{1,20}(?:입니다[.!]?\s*\Z|[:：])"
    ),
)
# A search that found nothing, and the mere value "not given".
_NOT_FOUND_NONE = (
    r"(?!ничего|nichts|nada|rien|niente|по запросу|не (?:указан|задан|определ"
    r"|найден)\w*[.!]?\s*\Z)"
)
FOREIGN = (
    accents_aside("|".join(_OPENERS)),
    rf"{_NOT_FOUND_NONE}{SOME_WORDS}(?:{accents_aside('|'.join(_VERDICTS))})(?!\w)",
    *LATIN_DEMANDS,
)
FOREIGN_BEYOND = (
    "|".join(_OPENERS_BEYOND),
    rf"{_NOT_FOUND_NONE}{SOME_WORDS}(?:{'|'.join(_VERDICTS_BEYOND)})(?!\w)",
    *_EASTERN,
    *DEMANDS_BEYOND,
)
