"""Refusals in other languages by their grammar: what a call is about, and what is said of it.

"El archivo debe ser un PDF" and "Файл слишком большой" have the same build as "The file must be a
PDF". What is said of a team or of the weather in these words is prose, so that the thing counts.
A state ("Der Termin ist nicht bestätigt") is an answer to who asked for it.
"""

from __future__ import annotations

from msgspec import Struct

from assay.evidence.accents import accents_aside
from assay.evidence.error_vocabulary import SOME_WORDS


class Tongue(Struct, frozen=True):
    """One language: its articles, what calls are about, what is demanded of it, how it is."""

    articles: str
    things: str
    demands: str
    states: str


_LATIN: tuple[Tongue, ...] = (
    Tongue(
        r"der|die|das|den|dem|dein|deine|ihr|ihre|diese[rs]?|in der|im|in dem",
        (
            r"\w*(?:datei|titel|wert|feld|parameter|link|url|adresse|passwort|benutzer|datum"
            r"|format"
            r"|bild|ordner|anfrage|server|dienst|eingabe|nachricht|projekt|preis|menge|anzahl"
            r"|token"
            r"|schlüssel|sitzung|konto|code|typ|liste|tabelle|spalte|zeile|seite|bestellung|termin"
            r"|text|name|release|id|pfad|version|betrag|plan)"
        ),
        (
            r"(?:(?:muss|müssen)(?! man)|(?:darf|dürfen) (?:nicht|nur|keine?|maximal|höchstens)"
            r"|passt nicht|stimmt nicht|fehlt|fehlen|überschreitet|entspricht nicht"
            r"|existiert nicht(?! mehr)"
            r"|enthält ungültig|(?:ist|sind) (?:ungültig|unvollständig|beschädigt"
            r"|keine?[nrs]? gültig"
            r"|zu (?:lang|kurz|groß|klein)|bereits (?:angelegt|vergeben|vorhanden)))"
        ),
        (
            r"(?:antwortet nicht|reagiert nicht|gehört nicht|hat keine?|besitzt keine?"
            r"|enthält (?:keine?|nicht)|wird (?:nicht|bereits)|(?:ist|sind) (?:nicht|leer"
            r"|abgelaufen|gesperrt|unbekannt|doppelt))"
        ),
    ),
    Tongue(
        r"le|la|les|un|une|ce|cet|cette|votre|vos|ton|ta|l'|dans le|dans la",
        (
            r"(?:l')?(?:fichier|texte|nom|titre|valeur|champ|paramètre|lien|url|adresse|mot de"
            r" passe|utilisateur|date|format|id|identifiant|image|dossier|requête|serveur|service"
            r"|saisie|message|projet|prix|quantité|nombre|jeton|clé|session|compte|code|type|liste"
            r"|table|colonne|ligne|page|commande|chemin|montant|document|panier)"
        ),
        (
            r"(?:doi(?:t|vent)|ne (?:peu(?:t|vent)|doi(?:t|vent)|correspond|respecte)|dépasse"
            r"|manque"
            r"|existe déjà|n'(?:existe|accepte)|(?:a|ont) expiré|(?:est|sont) (?:invalide|trop"
            r"|incompl[èe]t|corrompu|expiré))"
        ),
        (
            r"(?:ne (?:contient|répond|comporte|possède)|n'(?:est|a|ont|appartient|inclut)"
            r"|(?:est|sont) (?:vide|verrouillé|inconnu))"
        ),
    ),
    Tongue(
        r"el|la|los|las|un|una|este|esta|tu|su|en el|en la",
        (
            r"(?:archivo|texto|nombre|título|valor|campo|parámetro|enlace|url|dirección|contraseña"
            r"|usuario|fecha|formato|id|identificador|imagen|carpeta|solicitud|petición|servidor"
            r"|servicio|mensaje|proyecto|precio|cantidad|número|token|clave|sesión|cuenta|código"
            r"|tipo|lista|tabla|columna|fila|página|pedido|ruta|monto|documento|correo|email"
            r"|detalle|objeto|porcentaje|carrito)"
        ),
        (
            r"(?:deben?|no (?:pueden?|es una?|existe|coincide|corresponde|cumple)|ya existe|supera"
            r"|excede|(?:está|están) (?:incomplet|dañad|duplicad)|es (?:demasiado|inválid"
            r"|obligatori|requerid|incorrect)|ha (?:caducado|expirado)|s[óo]lo (?:está|admite"
            r"|acepta|puede|permite))"
        ),
        (
            r"(?:no (?:está|tiene|contiene|responde|pertenece|incluye|se)|(?:está|están) (?:vací"
            r"|caducad|bloquead))"
        ),
    ),
    Tongue(
        r"o|a|os|as|um|uma|este|esta|seu|sua|no|na",
        (
            r"(?:arquivo|ficheiro|texto|nome|título|valor|campo|parâmetro|link|url|endereço|senha"
            r"|usuário|utilizador|data|formato|id|identificador|imagem|pasta|solicitação"
            r"|requisição|servidor|serviço|mensagem|projeto|preço|quantidade|número|token|chave"
            r"|sessão|conta|código|tipo|lista|tabela|coluna|linha|página|pedido|caminho|documento"
            r"|e-?mail|cpf|lote|plano|contrato)"
        ),
        (
            r"(?:devem?|não (?:podem?|é uma?|existe|confere|corresponde|atende)|já (?:existe"
            r"|está em uso)|ultrapassa|excede|(?:está|estão) (?:incomplet|corrompid|duplicad)"
            r"|é (?:muito|inválid|obrigatóri|incorret|grande demais)|expirou|s[óo] (?:aceita|pode"
            r"|permite))"
        ),
        (
            r"(?:não (?:está|tem|contém|responde|pertence|inclui|foi)|(?:está|estão) (?:vazi"
            r"|expirad|bloquead))"
        ),
    ),
)
_RUSSIAN = Tongue(
    r"этот|эта|это|ваш|ваша|данный|данная|выбранный|указанный|поле",
    (
        r"(?:файл|текст|имя|название|значение|поле|параметр|ссылка|адрес|пароль|пользователь"
        r"|дата|формат|изображение|папка|запрос|сервер|сервис|сообщение|проект|цена|количество"
        r"|токен|ключ|сессия|аккаунт|код|тип|список|таблица|колонка|строка|страница|заказ"
        r"|путь|расширение|задача|документ|сумма|номер|чат|размер)"
    ),
    (
        r"(?:долж(?:ен|на|но|ны)|не (?:должн|долж|соответств|указан|задан|передан|выбран"
        r"|распозна|поддерж|может)\w*|слишком|повреж\w+|зашифрован|превышает|отсутствует"
        r"|(?:имеет|содержит) (?:неверн|некорректн|недопустим)|уже (?:существует|занят))"
    ),
    r"(?:не \w+|(?:вы|от)ключен[аоы]?|пуст[аоы]?(?!\w)|ист[её]к|устарел|недоступ\w+)",
)
# What is allowed alone, where something else was asked for.
_ONLY = (
    r"nur [^\n.]{2,60} (?:erlaubt|möglich|unterstützt|zulässig)|seule?s? [^\n.]{2,60} (?:autorisé"
    r"|accepté|pris|supporté)|s[óo]lo se (?:permite|acepta|admite)|(?:apenas|somente) [^\n.]{2,60}"
    r" (?:permitid|aceit|suportad)|только \w+[.!]?\s*\Z"
)
# Who is told to give something had not given it.
_BIDDING = (
    r"gib (?:einen?|die|das|den) [^\n.]{2,40} (?:ein|an)\b|wähle? (?:einen?|die|das|den) |entrez"
    r" (?:un|le|la)|indiquez (?:un|le|la)|выберите |передайте |(?:falta|faltam|argumentos) "
    r"(?:\w+ )?insuficientes|nenhuma? \S+ (?:recebid|lançad|enviad)[oa]\b"
)
_JAPANESE = (
    r"(?:指定|選択|入力|送信|アップロード)された[^\n。]{1,40}(?:ません|範囲外|無効|不正)"
    r"|[^\n。]{1,40}(?:不足(?:です|しています)|範囲外です)"
    r"|[^\n。]{1,30}(?:有効な|正しい)[^\n。]{0,20}ではありません"
)
_JAPANESE_STATES = (
    r"[^\n。]{1,30}(?:連携|設定|登録|認証|ログイン|許可|接続|初期化|インストール|構成|選択|指定)"
    r"(?:され|し|でき)ていません|[^\n。]{1,30}(?:空です|済みです|無効化されています|完売しました)"
    r"|[^\n。]{1,30}(?:既|すで)に[^\n。]{1,10}(?:されて|して)います"
)
_KOREAN_THINGS = (
    r"(?:입력|파일|값|이름|제목|날짜|경로|형식|비밀번호|아이디|이메일|요청|필드|컬럼|파라미터|토큰"
    r"|키)"
)
_KOREAN = (
    rf"{_KOREAN_THINGS}[^\n.]{{0,40}}?(?:[어아여해]야 합니다|필요합니다)"
    rf"|입력[^\n.]{{0,30}}?(?:없습니다"
    r"|비어 ?있습니다|포함되어 있습니다)|[^\n.]{0,30}(?:지정|제공|설정|입력|선택)(?:해 ?주세요"
    r"|하세요"
    r"|해야 합니다)|[^\n.]{0,30}(?:비활성화|차단)되어 있습니다"
)
_KOREAN_STATES = rf"{_KOREAN_THINGS}[^\n.]{{0,40}}?(?:비어 ?있습니다|없습니다|않습니다)"


def _sentence(tongue: Tongue, told: str) -> str:
    # In one clause: what stands behind a comma is said of something else.
    return accents_aside(
        rf"(?:(?:{tongue.articles}) ?)?(?:[^\s:.;,!?]+ ){{0,2}}?{tongue.things}"
        rf"(?: [^\s:.;,!?]+){{0,5}}? {told}"
    )


LATIN_DEMANDS: tuple[str, ...] = (
    *(_sentence(tongue, tongue.demands) for tongue in _LATIN),
    accents_aside(f"{_ONLY}|{_BIDDING}"),
)
# Those that no text of ASCII letters alone can match.
DEMANDS_BEYOND: tuple[str, ...] = (
    _sentence(_RUSSIAN, _RUSSIAN.demands),
    _JAPANESE,
    _KOREAN,
)
# What is so with anything: a sentence may say it of any thing, a clause or two long.
_ANY_STATE = (
    r"nicht (?:angemeldet|eingeloggt|verbunden|installiert|aktiviert)(?=\s*(?:[.!:,(–—-]|\Z))"
    r"|(?:n'(?:est|sont) pas|non) (?:installé|connecté|activé)e?s?(?!\w)|n(?:o|ão) (?:está |foi "
    r"|fue )?"
    r"(?:instalad|conectad|habilitad)[oa]s?(?!\w)|s[óo]lo hay \d"
)
_ANY_STATE_BEYOND = (
    r"не (?:установлен|подключ[её]н|авторизован|получен|является|отвечает)[оаы]?(?!\w)"
    r"|недоступ(?:ен|на|но|ны)(?!\w)"
)
LATIN_STATES: tuple[str, ...] = (
    rf"{SOME_WORDS}(?:{accents_aside(_ANY_STATE)})",
    *(_sentence(tongue, tongue.states) for tongue in _LATIN),
)
STATES_BEYOND: tuple[str, ...] = (
    rf"{SOME_WORDS}(?:{_ANY_STATE_BEYOND})",
    _sentence(_RUSSIAN, _RUSSIAN.states),
    _JAPANESE_STATES,
    _KOREAN_STATES,
)
