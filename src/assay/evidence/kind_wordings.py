"""The words by which a kind of failure is known.

For messages that are known to tell of a failure: what the words say is searched anywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.evidence.failure_kinds import Kind

_TOOL_NAME = r"[\"'`]?[\w./:@-]{1,80}[\"'`]?"

# Most specific first: the first wording found names the kind.
WORDINGS: tuple[tuple[Kind, str], ...] = (
    (
        "timeout",
        (
            r"(?:aborted|cancell?ed|terminated|killed) (?:due to|because of|after) (?:a )?time"
            r"|timed out[^\n]{0,40} (?:cancell?ed|aborted|killed|terminated)"
        ),
    ),
    (
        "cancelled",
        (
            r"cancell?ed by|was (?:cancell?ed|aborted|interrupted)|interrupted by|aborted by|user"
            r" (?:rejected|declined|denied|doesn't want|does not want)|tool use was rejected"
            r"|(?:rejected|denied|blocked) this (?:action|call)|sibling tool call|KeyboardInterrupt"
            r"|declined by|rejected by (?:the )?user|CancelledError|^\W*(?:cancell?ed|aborted"
            r"|interrupted) (?:while|before|during)"
            r"|operation (?:was )?cancell?ed|^\W*(?:cancell?ed|aborted)\W*$|取消"
        ),
    ),
    (
        "unknown_tool",
        (
            r"unknown tool|no such tool|unrecogni[sz]ed tool|no tool (?:named|called)"
            rf"|not a valid tool|tool {_TOOL_NAME},? but it (?:does not|doesn't) exist"
            rf"|tool not found|tool (?:name )?{_TOOL_NAME} (?:is |was |does )?(?:not (?:found|exist"
            rf"|available|registered)|unknown)|function name {_TOOL_NAME} not found"
            r"|unavailable tool|^\W*(?:error\W+)?method not found|未知工具|工具不存在"
        ),
    ),
    (
        "rate_limit",
        (
            r"\b(?:http|status|code|error)\D{0,12}429\b|\b429 (?:too|client)|too many requests"
            r"|query[ _]limit|slow down"
            r"|rate[ _-]?limit|throttl|\bqps\b|(?:calls|requests) per (?:second|minute|hour|day)"
            r"|requests? limit|请求过于频繁|频率|频繁|限流"
        ),
    ),
    (
        "quota_exceeded",
        (
            r"quota|cap exceeded|usage (?:limit|cap)|insufficient[ _](?:credits?"
            r"|funds|quota)|and billing|billing (?:details|limit|account|is)"
            r"|(?:call|request|usage|search|message|token|spending|daily|monthly"
            r"|plan)\w*[^\n]{0,20}"
            r" limit (?:was |has been )?(?:exceeded|reached|hit)|^limit exceeded|exhausted"
            r"|已达上限|用完"
            r"|payment required|credit balance|out of credits|no space left|disk (?:is )?full"
            r"|ENOSPC|EMFILE|too many (?:clients|(?:open )?(?:connections|files))|额度|配额|欠费"
        ),
    ),
    (
        "auth",
        (
            r"unauthori[sz]ed|authenticat(?:ion|ed?)\b|authori[sz]ation\b|unauthenticated"
            r"|api[ _-]?key|bad credentials"
            r"|(?:invalid|expired|missing|bad|no|locate|find|load) (?:\w+ )?(?:token|credentials?"
            r"|signature)\b|(?:user|access|app|secret|license)[ _-]?key\b|invalid[ _](?:grant"
            r"|client)\b"
            r"|credentials? .{0,30}(?:could not|cannot|can't|failed)|(?:token|session"
            r"|credentials?) (?:has |have |is |are )?(?:expired|invalid|missing)|(?:token"
            r"|credentials?) (?:is |are )?not (?:set|found|configured|exist)"
            r"|session not found or expired|active (?:account|session"
            r"|subscription)|log ?in (?:is )?required"
            r"|please (?:log|sign) in|\w (?:auth )?login['\"`]|expired ?token"
            r"|token[^\n]{0,40} expired"
            r"|(?:incorrect|wrong|invalid) password|password (?:is )?(?:incorrect|not accepted"
            r"|mismatch)|user ?name (?:and|or) password|revoked"
            r"|password[- ]protected|host key verification|密码错误"
            r"|not (?:logged|signed)[ -]in|signed-in|\bjwt\b|(?:caller|user|verified) identity"
            r"|\b(?:http|status|code|error)\D{0,12}401\b|\b401 \w|未登录"
            r"|认证|鉴权|未授权|(?:登录|会话|凭证)\S{0,6}(?:失效|过期)|重新\S{0,2}登录"
        ),
    ),
    (
        "permission",
        (
            r"read-?only (?:database|file ?system|mode|replica|user|access)"
            r"|\b(?:command|request|action|access|query|operation|call|url|domain)"
            r" (?:is |was |has been )?blocked"
            r"|permissions? (?:is|are) required|\bdenied\b"
            r"|permission denied|access(?: is| was)? denied|forbidden|insufficient (?:permissions?"
            r"|privileges?|scopes?)|not (?:authori[sz]ed|permitted)\b|must be owner|EACCES|EPERM"
            r"|row-level security|robots\.txt|(?:missing|required|granted) .{0,20}scopes?\b"
            r"|missing (?:\w+ )?(?:permissions?|access)\b"
            r"|\b(?:was|is|been|are) (?:banned|blocked)\b|restricted operation"
            r"|operation not permitted|(?:do|does) not have"
            r" (?:the )?(?:permission|access|rights)|read-only transaction|权限|禁用|封禁"
            r"|禁止访问|拒绝访问|captcha|enable javascript|javascript and cookies|not a robot"
            r"|(?:has been|was) denied|denied by|you are human|not accessible by|allowed director"
            r"|\b(?:http|status|code|error)\D{0,12}403\b"
        ),
    ),
    (
        "configuration",
        (
            r"not (?:been )?configured|misconf|environment variables?\b.{0,40}(?:not set|missing"
            r"|required|undefined|unset)|\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+ (?:is |env\w* )?not set"
            r"|(?:has not been|is not|not) (?:enabled|activated|installed)|未配置|未开通|未启用"
            r"|(?:does|do) not have .{1,60} installed|spawn \S{1,60} ENOENT"
            r"|(?-i:\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+) (?:is |are |must be )?(?:set|required|missing)"
            r"|\bdisabled[.:]? \(|no (?:\w+ ){0,3}configured|not found\. install\b"
            r"|(?:install|enable) the .{1,40}(?:plugin|extension|package|module|driver)\b"
        ),
    ),
    (
        "server_unavailable",
        (
            r"server .{0,80}could not be loaded|server_not_in_configs"
            rf"|server (?:name )?(?:{_TOOL_NAME} )?(?:is |was )?not"
            r" (?:running|connected|configured|found)|server (?:disconnected|crashed"
            r"|not initiali[sz]ed|exited"
            r"|terminated)|session terminated|failed to (?:start|launch|spawn) .{0,40}server"
            r"|ClosedResourceError"
        ),
    ),
    (
        "timeout",
        (
            r"timed?[ -]?out\b(?! must)(?! \w+ must)(?! should)(?! cannot)|timedout"
            r"|\d ?ms exceeded|deadline exceeded|ETIMEDOUT|took (?:too )?long|TimeoutError"
            r"|did not (?:respond|complete|finish) (?:with)?in|超时"
        ),
    ),
    (
        "network_error",
        (
            r"lost connection|connection (?:to .{1,60} )?(?:\w+ )?(?:refused|reset|closed"
            r"|aborted|error"
            r"|attempts? failed|lost"
            r"|terminated|failed)|connection_error|(?-i:ECONN[A-Z]+|ENOTFOUND"
            r"|EAI_AGAIN)|getaddrinfo|name"
            r" (?:resolution|not resolved)|max retries exceeded|internet disconnected"
            r"|name or service not known|(?:could not|cannot|unable to)"
            r" resolve host|network"
            r" (?:error|is unreachable|unreachable)|socket hang up|unreachable|no route to host"
            r"|\b(?:ssl|tls)\b|certificate|ERR_(?:CERT|SSL|CONN|NETWORK|PROXY)"
            r"|fetch failed|error sending request|transport error|socket closed|not reachable"
            r"|broken pipe|ConnectError|ConnectionError"
            r"|\boffline\b|(?:cannot|could not|unable to|failed to) (?:connect|reach)|连接(?:失败"
            r"|被拒绝|重置|错误)|网络"
        ),
    ),
    (
        "unavailable",
        (
            r"(?:service|temporarily|currently|server is) (?:unavailable|overloaded"
            r"|down)|overloaded"
            r"|bad gateway|under maintenance|HTTP status 50[0-4]|upstream (?:error|failure)"
            r"|\b(?:502|503|529) \w|database (?:table )?is locked|resource busy|EBUSY|SERVER_BUSY"
            r"|lock wait|(?:database|pool|connection|client) is closed|is sealed|not operational"
            r"|not ready|is (?:starting|restarting)"
            r"|服务不可用|维护|繁忙"
        ),
    ),
    (
        "malformed_call",
        (
            r"(?:malformed|invalid|not valid|unparsable) json|json ?decode ?error|unexpected end of"
            r" json|expecting (?:property name|value|\S{1,4} delimiter)"
            r"|parsing (?:the )?(?:tool )?arguments|failed to (?:parse|decode) (?:json|arguments"
            r"|the arguments|ast|executable|tool call)|(?:did|does) not (?:output"
            r"|follow|match) (?:in )?"
            r"the (?:specified|expected|required) format|parse error|malformed"
            r" (?:call|request|tool)"
        ),
    ),
    (
        "null_reference",
        (
            r"NoneType'? object|AttributeError|has no attribute|null ?pointer|NullReference"
            r"|cannot read propert(?:y|ies) of|undefined is not|nil pointer|null reference|空指针"
        ),
    ),
    (
        "index_error",
        r"\bindex out of|out of bounds|IndexError|RangeError|list index|越界",
    ),
    (
        "data_processing_error",
        (
            r"unsupported operand|not subscriptable|not iterable|can only concatenate|corrupt"
            r"|unexpected EOF|unreadable|length mismatch|lengths must match|shape mismatch"
            r"|could not be broadcast"
            r"|codec can't|(?:decod|encod)ing bytes|UnicodeDecodeError|KeyError|division by zero"
            r"|divide by zero|ZeroDivision|invalid response|unexpected response|malformed response"
            r"|failed to (?:parse|process|decode) (?:the )?(?:response|data|html|xml|page)"
        ),
    ),
    (
        "missing_required_field",
        (
            r"is a required property|field required|missing (?:a )?(?:\d+ )?(?:the"
            r" )?(?:following )?"
            r"required|missing (?:argument|parameter|field|property|keyword|value for)"
            r"|missing [\w.'\"`-]{1,60} (?:argument|parameter|field|property|input)\b"
            r"|no (?:\w+ )?(?:fields?|arguments?|parameters?|values?|updates?) (?:to"
            r" (?:update|change|set)|provided|supplied|given|specified)"
            r"|required (?:\w+ )?(?:parameter|argument|field|property"
            r"|input)s?\b.{0,60}(?:missing|not"
            r" (?:provided|present|supplied|given|specified|set))|mandatory (?:input )?(?:parameter"
            r"|argument|field)s?|\breceived\W{1,5}undefined"
            r"|\bmessage\W{1,6}Required\b|\bis required\b"
            r"|\bare required\b|must be (?:provided|specified|supplied|set)|type=missing|(?:was"
            r"|were) not (?:provided|supplied|given)"
            r"|missing the \W?\w+\W? (?:parameter|argument|field)"
            r"|no \w+ (?:was |were )?(?:passed|provided|given|supplied)\b|\brequired (?:for|by"
            r"|when)\b"
            r"|(?:array|list|string|body|input|query|parameter|argument|field|value)s? (?:is"
            r"|are) empty"
            r"|(?:provide|specify|supply|pass|give) (?:either|at least|an?|the|one of|both)\b"
            r"|not provided and not marked as optional|can(?:not|'t) be (?:empty|null|blank)"
            r"|must not be"
            r" (?:empty|null|blank)|\brequired[.!]?\s*$|缺少|不能为空|必填"
        ),
    ),
    (
        "invalid_date_range",
        (
            r"cannot be after|invalid date|(?:is|are) in the (?:future|past)"
            r"|date .{0,60}(?:in the future|in the past|out of range)"
            r"|(?:end|start)[ _]?(?:date|time).{0,40}(?:before|after|earlier|later)"
            r"|日期(?:无效|错误|不能|必须|格式)|日期.{0,10}(?:早于|晚于)|time range"
        ),
    ),
    (
        "wrong_type",
        (
            r"is not of type|wrong kind of value|unable to parse string as"
            r"|input should be (?:a valid|an instance)"
            r"|(?:incorrect|wrong|invalid|unexpected) type|type checking failed|type=\w+_(?:type"
            r"|parsing)|\binvalid_type\b|must be (?:of type|an? (?:string|integer"
            r"|number|boolean|array"
            r"|object|list|dict|float|int|bool)\b)|expected (?:an? )?(?:string"
            r"|integer|number|boolean"
            r"|array|object|list|dict|float|int|str)\b|invalid input syntax for"
            r"|cannot cast|is of type"
            r" .{0,40} but|could not convert|invalid literal for|类型错误"
        ),
    ),
    (
        "invalid_schema",
        (
            r"not valid under any of the given schemas|does not match (?:any of"
            r" )?the (?:\w+ )?schema"
            r"|invalid_union|schema (?:mismatch|violation)"
        ),
    ),
    (
        "invalid_arguments",
        (
            r"invalid arguments? for|unexpected (?:keyword )?(?:argument|parameter|property|field)"
            r"|unrecogni[sz]ed[ _](?:keys?|arguments?|options?|parameters?)|additional properties"
            r"|extra (?:inputs|fields) (?:are )?not|unknown (?:argument|parameter|field|option"
            r"|property)|invalid (?:arguments?|params?|parameters?|request|\w+ call)\b"
            r"|takes \d+ positional"
            r"|does not accept|ENOTDIR|(?:are|is) identical"
            r"|wrong number of (?:arguments|parameters)|mutually exclusive|cannot both be"
            r"|cannot be (?:used|combined|specified|set|provided) (?:together|with)"
            r"|bad request|参数(?:错误|无效|不合法|异常)"
        ),
    ),
    (
        "syntax_error",
        (
            r"syntax ?error|pars(?:e|ing)[ _]?exception|unexpected token|unterminated"
            r"|sql compilation error|error in your sql"
            r"|invalid syntax|parse error|must appear in the group by|is ambiguous|is not unique"
            r"|same number of columns|must be type \w+, not type|UNION types"
            r"|invalid UNION|unmatched"
            r"|IndentationError|Unclosed|aggregate functions are not allowed|cannot be matched"
            r"|cannot drop columns|no unique constraint matching|subquery"
            r"|:\d{1,6}(?::\d{1,6})?: (?:fatal )?error\b|\(\d+,\d+\): error|error\[E\d|undeclared"
            r"|cannot find symbol|not assignable|call to undefined|undefined: |unknown operator"
            r"|cannot query field"
            r"|from-clause|cannot change name|语法错误"
        ),
    ),
    (
        "conflict",
        (
            r"already \w+ing\b|still (?:running|active|in progress|has)\b|^\W*ambiguous \w"
            r"|matches (?:\d+|multiple|several) \w"
            r"|already (?:exists|in use|taken|been|[a-z]+ed\b)|still in use|non-fast-forward"
            r"|duplicate (?:key"
            r"|entry|column|object"
            r"|name)|file exists|multiple (?:occurrences|matches)"
            r"|unique constraint|\bconflict|E11000|EEXIST|concurrent(?:ly)? (?:update|modif)"
            r"|\blocked|已存在|重复|冲突"
        ),
    ),
    (
        "output_too_large",
        (
            r"exceeds? (?:the )?(?:maximum|max)(?: allowed)? (?:size|tokens|length|output|context)"
            r"|(?:output|response|result|file|content|payload|message|request"
            r"|entity)s?(?: is| was)? too"
            r" (?:large|long|big)|too large to|maximum context length|过大|过长"
        ),
    ),
    (
        "validation_error",
        (
            r"validation|unrecogni[sz]ed|not (?:an? )?recogni[sz]ed|is not one of|invalid value"
            r"|invalid enum|(?:must|should)"
            r" be one of|expected"
            r" one of|not a valid|cannot identify|does not match (?:the )?(?:pattern|format|regex)"
            r"|invalid (?:\w+ ){0,2}(?:format"
            r"|url|uri|email|uuid|id|input|option|choice|symbol|name|path|reference|selector"
            r"|regex)\b|ValueError"
            r"|resolved to \d+ elements|ensure (?:that )?this|malformed|mismatch|dimension"
            r"|(?:could not|couldn't|cannot|can't) (?:understand|interpret|parse|recogni[sz]e)"
            r"|(?:less|greater) than or equal|must (?:use|follow|match|begin|start|end|contain)\b"
            r"|must be (?:between|in the format|a positive|positive|non-)"
            r"|is not (?:valid|an? )|too (?:small|large|short"
            r"|long)|is an?"
            r" \w+, not an?|(?:above|below|over|under|outside) the (?:maximum|minimum|limit|allowed"
            r"|permitted|valid)|不能(?:早于|晚于|大于|小于|超过)|必须(?:是|为|大于|小于|在)"
            r"|ZodError|校验|格式(?:错误|不正确)|无效的?"
        ),
    ),
    (
        "not_found",
        (
            r"not found|did not (?:match any|resolve)|(?:could not|cannot|can't) be (?:found"
            r"|located)"
            r"|not an? \w+ (?:repository|project)|does not exist"
            r"|doesn't exist|do not exist|no such|(?:cannot"
            r"|could not|couldn't"
            r"|can't|unable to) (?:find|locate|access)|ENOENT|NotFound|NoSuch|not defined"
            r"|no module named|unknown (?:column|table|database|host|user|symbol|city)"
            r"|no .{1,60} (?:found|named|with (?:id|e-?mail|name|number|code|key)"
            r"|available for)|could not resolve to an?"
            r"|undefined (?:table|column)|未找到|找不到"
            r"|no match(?:es|ing) |(?:did|does|do) not (?:match any|appear)|user unknown"
            r"|(?:unknown|undefined|unrecogni[sz]ed) \w+(?: \w+)?:? [\"'`]|no commits between"
            r"|unknown (?!err)(?!exc)(?!reas)\w+(?: \w+){0,4}: \w|zero[ _]results"
            r"|unknown \w*_\w+|\bno (?:\w+ ){1,3}[\"'`]|^\W*no \w+ \S*\d|has no \w+ [\"'`]"
            r"|matched no \w|not in (?:the )?(?:registry|catalog|database|index)\b"
            r"|has only \d+|no (?:rule|available|route) |undefined control"
            r"|不存在|未获取到|未查到|查无"
        ),
    ),
    (
        "unsupported",
        (
            r"not (?:currently )?supported|unsupported(?! operand)|not implemented"
            r"|NotImplemented|read-?only"
            r"|illegal operation|(?:does|did) not (?:support|provide|allow|handle|understand)"
            r"|only .{1,40} (?:is|are) (?:allowed|supported|permitted|accepted)|EISDIR"
            r"|not allowed|method not"
            r" allowed|不支持"
        ),
    ),
    ("validation_error", r"\bmust be\b|\bincorrect\b|\binvalid\b|not valid"),
    (
        "rule_violation",
        (
            r"violates|constraint|not enough|insufficient|exceed|cannot"
            r" (?:be|use)|out of (?:range"
            r"|stock)|not (?:available|eligible)|does not add up|minimum|maximum|is closed"
            r"|sold out|售罄|已满|expired|no longer"
            r"|at (?:least|most) \d|inconsistent"
            r"|not[ _]in[ _](?:the )?(?:channel|group|list|room)|not a member|fast.forward"
            r"|must (?:have|not)|not (?:yet )?(?:mergeable|approved|editable|ready|active"
            r"|applicable|possible)|business (?:rule|validation)"
            r"|first\b.{0,40}before|you (?:need|have|must)\b.{1,60} before"
            r"|no (?:\w+ ){1,3}(?:active"
            r"|running|open|selected|loaded)\b|\brequires\b|\bneeds\b|\bcan only\b|at most \d|不足"
            r"|\b(?:call|run|use|start|stop|open|close|connect|create|switch"
            r"|log ?in|select|enable)\b[^\n.]{0,40} first\b|超出|超过|不得|不合法|已过期"
            r"|已失效|过近|过远|过短"
        ),
    ),
    ("unavailable", r"try again (?:shortly|in (?:a|\d))"),
    (
        "execution_error",
        (
            r"(?:daemon|worker|engine|backend) error"
            r"|error (?:calling|executing|running|in|while|getting|fetching"
            r"|retrieving|occurred)|traceback"
            r"|exception|internal (?:server )?error|panic|segmentation fault|exit(?:ed)?(?: with)?"
            r" (?:code|status)|crash|stack trace|unexpected error|\bfail|unable to|(?:could not"
            r"|can't) (?:fetch|retrieve|load|get)|内部错误|服务器错误|异常"
        ),
    ),
)
