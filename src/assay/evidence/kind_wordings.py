"""The words by which a kind of failure is known.

For messages that are known to tell of a failure: what the words say is searched anywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.evidence.sure_wordings import SURE_WORDINGS

if TYPE_CHECKING:
    from assay.evidence.failure_kinds import Kind

# Of the papers that machines show one another, not of a voucher.
_CERTIFICATE = (
    r"\b(?:peer|server|client|root|ca|issuer|leaf|intermediate|x\.?509|self[- ]?signed|first|host"
    r"|alert|site|remote|expired|untrusted)(?:'s)? certificates?\b"
    r"|(?:\A|[^\w ]|\b(?:the|its|this|an?)) ?certificate (?:has |is )?expired"
    r"|\bcertificates? (?:verif|validation|chain|error|authority|pinning|signed|store|problem|alt"
    r"|is (?:self|not (?:trusted|yet valid))|common name|subject|host ?name|unknown|not trusted"
    r"|is valid for [^\n,]{1,80}, not)"
    r"|\bcertificate's (?:alt|subject|common)|\b(?:verify|validate|trust) (?:\w+ ){0,2}certificate"
)
# What a site does not let programs fetch. That this could not be found out is another failure.
_FORBIDDEN_TO_ROBOTS = (
    r"robots\.txt\b[^\n]{0,200}(?:forb[ia]d|disallow|not allow|prohibit|block|den(?:y|ie)|restrict"
    r"|prevent|exclud)|(?:forbidden|disallow|not allowed|prohibited|blocked|denied|restricted"
    r"|prevented|excluded)[^\n]{0,60}\brobots\.txt"
)
_TOOL_NAME = r"[\"'`]?[\w./:@-]{1,80}[\"'`]?"

# Most specific first: the first wording found names the kind.
WORDINGS: tuple[tuple[Kind, str], ...] = (
    *((kind, "|".join(wordings)) for kind, wordings in SURE_WORDINGS),
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
            r"cancell?ed by|was (?:cancell?ed|aborted|interrupted)|interrupted by|aborted by"
            r"|user (?:rejected|declined|denied|doesn't want|does not want)|tool use was rejected"
            r"|(?:rejected|denied|blocked) this (?:action|call)|\bcancell?ed(?:\W*$|;)|sibling tool"
            r" call|KeyboardInterrupt|declined by|rejected by (?:the )?user|CancelledError"
            r"|^\W*(?:cancell?ed|aborted|interrupted) (?:while|before|during)"
            r"|operation (?:was )?cancell?ed|^\W*(?:cancell?ed|aborted|(?:\w+ )?interrupted)\W*$"
            r"|[已被]取消"
            r"|取消了"
            r"|用户取消"
        ),
    ),
    (
        "unknown_tool",
        (
            r"(?:unknown|unsupported|unrecogni[sz]ed|no such) tool\b|no tool (?:named|called)"
            r"|\b(?:method|tool|function|operation)_unknown\b|\bunknown_(?:method|tool|function)\b"
            r"|no (?:handler|executor) (?:is )?(?:registered|found) for"
            rf"|not a valid tool|tool {_TOOL_NAME},? but it (?:does not|doesn't) exist"
            rf"|(?:action|tool|function) {_TOOL_NAME} (?:is not enabled or )?(?:don't|doesn't"
            r"|does not) exist"
            r"|not found in (?:the |any )?(?:tools|workbench|toolbox)"
            rf"|tool not found|tool (?:name )?(?!is )(?!was ){_TOOL_NAME} (?:is |was "
            rf"|does )?(?:not (?:found|exist"
            rf"|available|registered)|unknown)|function name {_TOOL_NAME} not found"
            r"|unavailable tool|^\W*(?:error\W+)?method not found|未知\S{0,6}工具"
            r"|工具\s?\S{0,40}\s?(?:不存在|未找到"
            r"|未注册)|(?:未找到|找不到|没有)的?工具"
        ),
    ),
    (
        "rate_limit",
        (
            r"\b(?:http|status|code|error)\D{0,12}429\b|\b429 (?:too|client)|too many requests"
            r"|query[ _]limit|slow down|rate[ _-]?limit|cool-?down|demasiad[oa]s intentos|throttl"
            r"|\bqps\b|(?:calls|requests) per (?:second|minute|hour|day)|requests? limit"
            r"|请求过于频繁|频率|频繁|限流"
        ),
    ),
    (
        "quota_exceeded",
        (
            r"credits? to \w|quota(?!tion)|cap exceeded|usage (?:limit|cap)"
            r"|insufficient[ _](?:credits?|funds|quota)|and billing"
            r"|(?:payment|card|transaction)\b[^\n]{0,30} declined"
            r"|no credits|top up|billing (?:details|limit|account|is)|(?:call|request|usage|search"
            r"|message|token|spending|daily|monthly|plan)\w*[^\n]{0,20} limit"
            r" (?:of [\w $€£.,]{1,30} |\([^)\n]{1,30}\) )?(?:was |has been )?"
            r"(?:exceeded|reached|hit)"
            r"|^limit exceeded|exhausted|已达上限|用完"
            r"|payment required|credit balance|out of credits|no space left|disk (?:is )?full"
            r"|ENOSPC|EMFILE|too many (?:clients|(?:open )?(?:connections|files))|额度|配额|欠费"
        ),
    ),
    (
        "auth",
        (
            r"(?:login|log-?in|auth|sign-?in) (?:has )?fail(?:ed|ure)|wrong credentials"
            r"|unauthori[sz]ed|authenticat(?:ion|ed?)\b|authori[sz]ation\b|unauthenticated"
            r"|api[ _-]?key|bad credentials|(?:invalid|expired|missing|bad|no|locate|find"
            r"|load) (?:\w+ )?(?:token(?! for \w+ expr)|credentials?|signature)\b|(?:user|access"
            r"|app|secret|license)[ _-]?key\b|invalid[ _](?:grant|client|auth)\b|\bnot[ _]authed\b"
            r"|\baccount_(?:inactive|disabled)\b|credentials? .{0,30}(?:could not"
            r"|cannot|can't|failed)|(?:token|session|credentials?) (?:has |have |is "
            r"|are )?(?:expired|invalid|missing)|(?:token|credentials?) (?:is |are )?not (?:set"
            r"|found|configured|exist)|session not found or expired|active (?:account|session"
            r"|subscription)|log ?in (?:is )?required|(?:log|sign) in (?:to|with)\b"
            r"|please (?:log|sign) in|\bauth login\b|\w (?:auth )?login['\"`]|expired ?token"
            r"|token[^\n]{0,40} expired"
            r"|(?:incorrect|wrong"
            r"|invalid) password|password (?:is )?(?:incorrect|not accepted|mismatch)"
            r"|user ?name (?:and|or) password|revoked|password[- ]protected|host key verification"
            r"|密码错误|not (?:logged|signed)[ -]in|signed-in|\bjwt\b|(?:caller|user"
            r"|verified) identity|\b(?:http|status|code|error)\D{0,12}401\b|\b401 \w|未登录"
            r"|未登[錄入]|认证|鉴权|未授[权權]|(?:登录|会话|凭证)\S{0,6}(?:失效|过期)|密钥(?:无效|错误|过期|缺失)"
            r"|重新\S{0,6}登录"
        ),
    ),
    (
        "permission",
        (
            r"allow-?list|whitelist|not on the list|policy.blocked|(?:server|remote|host"
            r"|peer) (?:rejected|refused) the|read-?only (?:database|file ?system|mode|replica"
            r"|user"
            r"|access)|\b(?:command|request|action|access|query|operation|call|url|domain) (?:is "
            r"|was |has been )?blocked|permissions? (?:is|are) required|sufficient permissions?"
            r"|admin(?:istrat\w+)? (?:access|only|user)\b|no (?:rights?|permissions?|access)\b"
            r"|[无無][权權]|\bdenied\b|permission[ _]den(?:y|ied)"
            r"|requires? (?:the |an? )?[\w:.*-]{1,60} (?:scope|permission|role|privilege)s?\b"
            r"|access(?: is| was)? denied|forbidden"
            r"|insufficient (?:permissions?|privileges?|scopes?)|not (?:authori[sz]ed|permitted)\b"
            rf"|must be owner|EACCES|EPERM|row-level security|{_FORBIDDEN_TO_ROBOTS}"
            r"|(?:missing|required|granted) .{0,20}scopes?\b"
            r"|missing (?:\w+ )?(?:permissions?|access)\b|\b(?:was|is"
            r"|been|are) (?:banned|blocked)\b|restricted (?:operation|page|path|pattern|area)"
            r"|escapes? \w|operation not permitted|(?:(?:do|does) not|don't"
            r"|doesn't) have (?:[\w-]+ ){0,3}?(?:permissions?|access|rights|privileges)\b"
            r"|read-only transaction|权限|禁用"
            r"|封禁|禁止访问|拒绝访问|captcha|enable javascript|javascript and cookies|not a robot"
            r"|(?:pending|awaiting) approval|belong to you|(?:has been|was) denied|denied by"
            r"|you are human|not accessible by|allowed director|\b(?:http|status|code"
            r"|error)\D{0,12}403\b"
        ),
    ),
    (
        "configuration",
        (
            r"\bno upstream branch\b|\bno tracking information\b"
            r"|missing (?:\w+ ){0,3}config(?!\w* (?:arg|par|field|option))"
            r"|configured [\w ]{2,40} (?:is|are) (?:not valid|invalid)"
            r"|not available\. (?:please )?(?:install|configure|check)"
            r"|check .{0,20}configuration|configure (?:your|the)\b|\b(?:is|are|been) disabled\b"
            r"|required .{0,30}tools? (?:is |are )?not available"
            r"|cannot run program|not (?:been )?configured|misconf"
            r"|environment variables?\b.{0,40}(?:not set|missing|required|undefined|unset)"
            r"|\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+ (?:is |env\w* )?not set|(?:has not been|is not"
            r"|not) (?:enabled|activated|installed)|未配置|未开通|未启用|(?:does"
            r"|do) not have .{1,60} installed|spawn(?:Sync)? \S{1,60} ENOENT"
            r"|(?-i:\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+) (?:is |are |must be )?(?:set|required"
            r"|missing)"
            r"|missing\b.{0,30}\benv(?:ironment)?[ _]var(?:iable)?s?\b|\bdisabled[.:]? \("
            r"|no (?:\w+ ){0,3}(?:configured|defined)\b|not found\. install\b|(?:install"
            r"|enable) the .{1,40}(?:plugin|extension|package|module|driver)\b"
        ),
    ),
    (
        "server_unavailable",
        (
            r"server .{0,80}could not be loaded|server_not_in_configs"
            rf"|server (?:name )?(?:{_TOOL_NAME} )?(?:is |was )?not"
            r" (?:running|connected|configured|found)|server (?:disconnected|crashed|closed|died"
            r"|not initiali[sz]ed|exited|terminated)|session terminated|failed to (?:start|launch"
            r"|spawn) .{0,40}server|ClosedResourceError"
        ),
    ),
    (
        "timeout",
        (
            r"deadline expired|timed?[ -]?out\b(?! must)(?! \w+ must)(?! should)(?! cannot)"
            r"|timedout|\d ?ms exceeded|deadline exceeded|ETIMEDOUT|took (?:too )?long"
            r"|TimeoutError"
            r"|did not (?:respond|complete|finish) (?:with)?in|超时"
            r"|did(?: not|n't) (?:[a-z]+ ){1,4}within \d"
        ),
    ),
    (
        "network_error",
        (
            r"^\W*network\W*$|no active connection|lost connection"
            r"|connection (?:to .{1,60} )?(?:\w+ )?(?:refused|reset|closed|aborted|error"
            r"|attempts? failed|lost|terminated|failed)|connection_error|(?-i:ECONN[A-Z]+"
            r"|ENOTFOUND"
            r"|EAI_AGAIN)|getaddrinfo|name (?:resolution|not resolved)|max retries exceeded"
            r"|internet disconnected|name or service not known|(?:could not|cannot"
            r"|unable to) resolve host|network (?:error|is unreachable|unreachable)|socket hang up"
            rf"|unreachable|no route to host|\b(?:ssl|tls)\b|{_CERTIFICATE}|ERR_(?:CERT|SSL|CONN"
            r"|NETWORK|PROXY)|fetch failed|connection (?:issues?|problems?|trouble)"
            r"|error sending request|transport error|socket closed|not reachable|broken pipe"
            r"|ConnectError|ConnectionError|\boffline\b|(?:can ?not|could not|unable to"
            r"|failed to) (?:connect|reach)|连接(?:失败|被拒绝|重置|错误)|网络"
        ),
    ),
    (
        "unavailable",
        (
            r"no (?:reply|response|answer) (?:from|to)\b|not be running|(?:service|temporarily"
            r"|currently|server is) (?:unavailable|overloaded|down)|overloaded|bad gateway"
            r"|under maintenance|HTTP status 50[0-4]|upstream (?:error|failure)|\b(?:502|503"
            r"|529) \w|database (?:table )?is locked|\bis busy\b|resource busy|EBUSY|SERVER_BUSY"
            r"|lock wait|\b(?:server|service|backend|upstream)[ _](?:is )?down\b"
            r"|(?:database|pool|connection|client) is closed|is sealed|not operational|not ready"
            r"|is (?:starting|restarting)|服务不可用|维护|繁忙"
            r"|\bbe \w+ (?:right now|at (?:the|this) (?:moment|time))"
        ),
    ),
    ("permission", r"robots\.txt"),
    (
        "malformed_call",
        (
            r"(?:malformed|invalid|not valid|unparsable) json|json ?decode ?error"
            r"|unexpected end of json|looking for beginning of|expecting (?:property name|value"
            r"|\S{1,4} delimiter)"
            r"|parsing (?:the )?(?:tool )?arguments|failed to (?:parse|decode) (?:json|arguments"
            r"|the arguments|ast|executable|tool call)|(?:did|does) not (?:output|follow"
            r"|match) (?:in )?the (?:specified|expected|required) format|parse error"
            r"|malformed (?:call|request|tool)"
        ),
    ),
    (
        "null_reference",
        (
            r"received (?:null|none|undefined)|NoneType'? object|AttributeError|has no attribute"
            r"|null ?pointer|NullReference|cannot read propert(?:y|ies) of|undefined is not"
            r"|nil pointer|null reference|空指针"
        ),
    ),
    (
        "index_error",
        r"\bindex out of|out of bounds|IndexError|RangeError|list index|越界",
    ),
    (
        "data_processing_error",
        (
            r"returned no (?!\w+ named)\w|^\W*no [\w ]{1,30} returned\b|did not return"
            r"|response (?:is |was )?invalid|(?:returned|resulted in|got|received) (?:an )?empty"
            r"|empty (?:response|body|result|reply)|disk image|unsupported operand"
            r"|not subscriptable|not iterable|can only concatenate|corrupt|unexpected EOF"
            r"|\bEOF\W*$"
            r"|unreadable|(?:property|field|key) in (?:the )?response"
            r"|failed to (?:un)?marshal (?!arg)(?!param)(?!req)"
            r"|failed to deseriali[sz]e (?:the )?re|length mismatch|lengths must match"
            r"|shape mismatch|could not be broadcast|codec can't|(?:decod|encod)ing bytes"
            r"|UnicodeDecodeError|KeyError|division by zero|divide by zero|ZeroDivision"
            r"|invalid response|unexpected response|malformed response|failed to (?:parse|process"
            r"|decode) (?:the )?(?:response|data|html|xml|page)"
        ),
    ),
    (
        "missing_required_field",
        (
            r"\b(?:is|are) empty\b|(?:is|are) (?:both |all )?missing\b|^\W*\w+ missing\W*$"
            r"|^\W*missing \w|you (?:must|need to|have to) (?:provide|specify|add|supply|pass|give"
            r"|include|choose|select|confirm)\b|请提供|is a required property|field required"
            r"|missing (?:a )?(?:\d+ )?(?:the )?(?:following )?required|missing (?:argument"
            r"|parameter|field|property|keyword|value for)|missing [\w.'\"`-]{1,60} (?:argument"
            r"|parameter|field|property|input)\b|no (?:\w+ )?(?:fields?|arguments?|parameters?"
            r"|values?|updates?) (?:to (?:update|change|set)|provided|supplied|given|specified)"
            r"|required (?:\w+ )?(?:parameter|argument|field|property|input)s?\b.{0,60}(?:missing"
            r"|not (?:provided|present|supplied|given|specified|set|found))"
            r"|mandatory (?:input )?(?:parameter|argument|field)s?|\breceived\W{1,5}undefined"
            r"|\bmessage\W{1,6}Required\b|\bis required\b|\bare required\b|must be (?:provided"
            r"|specified|supplied|set)|type=missing|not (?:provided|supplied|given|specified)"
            r"|missing the \W?\w+\W? (?:parameter|argument|field)|no \w+ (?:was |were )?(?:passed"
            r"|provided|given|supplied)\b|\brequired (?:for|by|when)\b|(?:array|list|string|body"
            r"|input|query|parameter|argument|field|value)s? (?:is|are) empty|(?:provide|specify"
            r"|supply|pass|give) (?:either|at least|an?|the|one of|both)\b"
            r"|^\W*(?:please )?(?:enter"
            r"|choose|pick|select|name(?! (?:is|was|has|must|can|does|already)\b)|give|provide"
            r"|specify) \W?\w"
            r"|cannot \w+[^\n:]{0,60} without\b"
            r"|no \w+ (?:uploaded|selected)\b|not provided and not marked as optional|can(?:not"
            r"|'t) be (?:empty|null|blank)|must not be (?:empty|null|blank)|\brequired[.!]?\s*$"
            r"|缺少|为空|必填|需要.{0,30}参数"
        ),
    ),
    (
        "invalid_date_range",
        (
            r"cannot be after|invalid date|\bin the (?:future|past)\b"
            r"|date .{0,60}(?:in the future|in the past|out of range)|(?:end|start)[ _]?(?:date"
            r"|time).{0,40}(?:before|after|earlier|later)|日期(?:无效|错误|不能|必须|格式)"
            r"|日期.{0,10}(?:早于|晚于)|time range"
        ),
    ),
    (
        "wrong_type",
        (
            r"is not of type|wrong kind of value|unable to parse string as"
            r"|input should be (?:a valid|an instance)|(?:incorrect|wrong|invalid|unexpected) type"
            r"|type checking failed|type=\w+_(?:type|parsing)|\binvalid_type\b|(?:must|needs to"
            r"|should) be (?:of type|an? (?:string|integer|number|boolean|array|object|list|dict"
            r"|float|int|bool)\b)|expected (?:an? )?(?:string|integer|number|boolean|array|object"
            r"|list|dict|float|int|str)\b|invalid input syntax for|cannot cast"
            r"|is of type .{0,40} but|could not convert|invalid literal for|类型错误"
        ),
    ),
    (
        "invalid_schema",
        (
            r"not valid under any of the given schemas"
            r"|(?:do|does|did) not match (?:any of )?(?:the )?(?:\w+ ){0,2}schema|invalid_union"
            r"|schema (?:mismatch"
            r"|violation)"
        ),
    ),
    (
        "invalid_arguments",
        (
            r"^\W*usage: |用法|bad (?:input|option|argument|value)\b|too (?:many"
            r"|few) (?:\w+ )?arguments|invalid arguments? for|unexpected (?:keyword )?(?:argument"
            r"|parameter|property|field)|unrecogni[sz]ed[ _](?:keys?|arguments?|options?"
            r"|parameters?)|additional properties|extra (?:inputs|fields) (?:are )?not"
            r"|unknown (?:argument|parameter|field|option|property)|invalid (?:arguments?|params?"
            r"|parameters?|request|\w+ call)\b|takes \d+ positional|does not accept|ENOTDIR|(?:are"
            r"|is) identical|wrong number of (?:arguments|parameters)|mutually exclusive"
            r"|cannot both be|cannot be (?:used|combined|specified|set|provided) (?:together|with)"
            r"|bad request|参数(?:错误|无效|不合法|异常)"
        ),
    ),
    (
        "syntax_error",
        (
            r"syntax ?error|compilation failed|invalid expression|pars(?:e|ing)[ _]?exception"
            r"|unexpected token|unterminated"
            r"|sql compilation error|error in your sql|invalid syntax|parse error"
            r"|must appear in the group by|is ambiguous|is not unique|same number of columns"
            r"|must be type \w+, not type|UNION types|invalid UNION|unmatched|IndentationError"
            r"|Unclosed|aggregate functions are not allowed|cannot be matched|cannot drop columns"
            r"|no unique constraint matching|subquery|:\d{1,6}(?::\d{1,6})?: (?:fatal )?error\b"
            r"|\(\d+,\d+\): error|error\[E\d|undeclared|cannot find symbol|not assignable"
            r"|call to undefined|undefined: |unbound variable|unknown operator|cannot query field"
            r"|argument named"
            r"|from-clause"
            r"|cannot change name|语法错误"
        ),
    ),
    (
        "conflict",
        (
            r"already (?:\w+ing|has|have)\b|\btaken\b|still (?:running|active|in progress|has)\b"
            r"|^\W*ambiguous \w|matches (?:\d+|multiple|several) \w|already (?:exists|in use|taken"
            r"|been|[a-z]+ed\b)|still in use|non-fast-forward|\bduplicate\b|found \d+ times"
            r"|exactly (?:1|one) match|expected \d+ (?:occurrence|match)|to be unique|file exists"
            r"|(?:multiple|found \d{1,6}) (?:occurrences"
            r"|matches)|unique constraint|\bconflict|E11000|EEXIST|concurrent(?:ly)? (?:update"
            r"|modif)|\blocked|已存在|重复|冲突"
        ),
    ),
    (
        "output_too_large",
        (
            r"exceeds? (?:the )?(?:maximum|max)(?: allowed)? (?:size|tokens|length|output|context)"
            r"|(?:output|response|result|file|content|payload|message|request|entity)s?(?: is"
            r"| was)? too (?:large|long|big)|too large to|maximum context length|过大|过长"
            r"|(?:larger|bigger|heavier) than \d[\d,.]* ?(?:[kmg]i?b|bytes|pixels|pages)\b"
        ),
    ),
    (
        "validation_error",
        (
            r"validation|badly formed|isn't (?:an? )?valid|should be (?:more|less|greater)"
            r"|may not be recogni[sz]ed|(?:supplied|provided|passed|gave) an? (?:empty|invalid)"
            r"|unrecogni[sz]ed|not (?:an? )?recogni[sz]ed|is not one of|invalid value|invalid enum"
            r"|(?:must|should) be one of|expected one of|not a valid|cannot identify"
            r"|(?:does|do) not (?:conform|comply|adhere)\b"
            r"|does not match (?:the )?(?:pattern|format|regex)|invalid (?:\w+ ){0,2}(?:format|url"
            r"|uri|email|uuid|id|input|option|choice|symbol|name|path|reference|selector|regex)\b"
            r"|\bnot all .{1,40} (?:are|were) valid"
            r"|ValueError|resolved to \d+ elements|ensure (?:that )?this|malformed|mismatch"
            r"|dimension|(?:could not|couldn't|cannot|can't) (?:understand|interpret|parse"
            r"|recogni[sz]e|map|translate)|could not be (?:parsed|decoded|understood)"
            r"|^\W*not an? (?:\w+ )?(?:file|directory|folder|number|date|url|path)\b|(?:less"
            r"|greater) than or equal|must (?:use|follow|match|begin|start|end|contain)\b"
            r"|must be (?:between|in the format|a positive|positive|non-)|is not (?:valid|an? )"
            r"|(?:cannot|can't|may not) be (?:negative|zero|less|more|greater)\b"
            r"|too (?:small|large|short|long)|is an? \w+, not an?|(?:above|below|over|under"
            r"|outside) the (?:maximum|minimum|limit|allowed|permitted|valid)|不能(?:早于|晚于"
            r"|大于"
            r"|小于|超过)|必须(?:是|为|大于|小于|在)|ZodError|校验|格式(?:错误|不正确)|无效的?"
            r"|需为"
            r"|应为|不正确|不匹配|不符合|非法|输入错误"
        ),
    ),
    (
        "not_found",
        (
            r"\bis gone\b|not registered|no[ _]match[ _]|[:.] unknown command"
            r"|^\W*unknown (?!(?:\w+ ){0,2}(?:err|exc|fail))\w+(?: \w+){0,2}\W*$|no \w+ named"
            r"|\bunknown (?!err)(?!exc)(?!tool)(?!fail)(?!status)[a-z]+ [\w-]*\d[\w-]*[.!]?$"
            r"|(?<!cause) (?<!reason )(?=[\w:.-]*[:_.\d])[\w:.-]{2,40} unknown[.!]?$"
            r"|^\W*no \w*_\w+ in\b|not found|did(?: not|n't|nt) (?:match any|resolve|find)"
            r"|(?:could not|cannot"
            r"|can't) be (?:found|located)|not an? \w+ (?:repository|project)|does not exist"
            r"|doesn't exist|do not exist|don't exist|no such|(?:cannot|could not|couldn't|can't"
            r"|unable to) (?:find|locate)|ENOENT|NotFound|NoSuch|not defined"
            r"|no module named"
            r"|unknown (?:column|table|database|host|user|symbol|city)|no .{1,60} (?:found|named"
            r"|with (?:the |that )?(?:id|e-?mail|name|number|code|key"
            r"|\w{2,20} [\"'`#]?[\w-]{0,20}\d)"
            r"|available for)|could not resolve to an?"
            r"|undefined (?:table|column)|\bno \w+ exists? (?:for|in|at|on|with)\b"
            r"|no match(?:es|ing) |no (?:\w+ )?(?:element"
            r"|node|row|record|item|file|entry|user)s? (?:match|with|for)|(?:did|does"
            r"|do) not (?:match any|appear)|user unknown|(?:unknown|undefined"
            r"|unrecogni[sz]ed) \w+(?: \w+)?:? [\"'`]|no commits between"
            r"|unknown (?!err)(?!exc)(?!reas)[\w.]+(?: [\w.]+){0,4}: \w|zero[ _]results"
            r"|there (?:is"
            r"|was) no \w|unknown \w*_\w+|\bno (?:\w+ ){1,3}[\"'`]|^\W*no \w+ \S*\d"
            r"|has no \w+ [\"'`]|(?:server|api|schema) (?:doesn't|does not) have an? \w"
            r"|matched no \w|(?:not|n't) in (?:the )?(?:\w+ list|registry|catalog|database"
            r"|index)\b|has only \d+|no (?:rule|available|route) |undefined control|不存在"
            r"|未获取到"
            r"|未查到|查无"
        ),
    ),
    (
        "unsupported",
        (
            r"not (?:currently )?supported|not (?:available|possible) here\b"
            r"|unsupported(?! operand)|not implemented|NotImplemented"
            r"|read-?only|illegal operation|(?:does|did) not (?:support|provide|allow|handle"
            r"|understand)|\bsupports? [\w ,/.-]{1,60} only\b"
            r"|(?:only|exactly) .{1,40} (?:(?:is|are) )?(?:allowed|supported|permitted|accepted)"
            r"|EISDIR"
            r"|not allowed|method not allowed|不支持"
        ),
    ),
)
