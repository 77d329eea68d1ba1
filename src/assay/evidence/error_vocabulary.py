"""The words of which error messages are made."""

from __future__ import annotations

import re
from http import HTTPStatus

HTTP_PHRASES = "|".join(
    sorted({re.escape(s.phrase) for s in HTTPStatus if s.value >= 400}, key=len, reverse=True)
).replace("Timeout", "Time-?out")


def _any_of(words: str) -> str:
    """A pattern for any of the words; `_` within a word stands for a space."""
    return "(?:" + "|".join(word.replace("_", " ") for word in words.split()) + ")"


# What may stand before "error:" at any length of text.
SUBJECTS = _any_of(
    """
    fatal critical internal server client database db sql query statement api https? rest rpc grpc
    json-?rpc graphql network connection socket dns ssl tls proxy gateway upstream backend service
    provider system application app runtime execution tool mcp plugin function command shell
    process script call unexpected unknown unhandled uncaught general generic validation input
    output
    request response argument parameter schema type value key index name import module attribute
    assertion syntax parse parser parsing json xml yaml csv compile compiler compilation build
    linker install file filesystem fs i/?o os disk memory permission access auth authentication
    authorization login credential token session config configuration setup timeout rate[_-]limit
    quota usage limit search fetch scrape scraping download upload browser navigation page model
    agent workflow task operation transaction migration constraint integrity postgres(?:ql)? mysql
    mariadb sqlite mongo(?:db)? redis oracle elasticsearch opensearch bigquery snowflake clickhouse
    docker kubernetes git github gitlab npm pip aws azure google openai anthropic slack notion jira
    stripe bad invalid remote local daemon worker bridge broker driver engine kernel webhook stream
    transport node cluster storage cache queue device email smtp
    """
)
# What stands before "error:" in statistics, in books and in good news.
NO_ERROR_OF = _any_of(
    """
    no zero without any standard mean squared root absolute relative rounding measurement sampling
    percent percentage prediction forecast training test validation_set margin maximum minimum
    average total median human medical clerical trial type_i type_ii common possible typical fix
    fixed resolved handled title subject question note song last latest previous recent
    """
)
VERBS = _any_of(
    """
    access acquire add allocate analy[sz]e append apply archive assign attach authenticate
    authori[sz]e bind book build calculate call cancel capture change charge check classify clear
    collect compress configure contact control detach detect disable enable encode identify index
    notify pause play predict print recogni[sz]e record refresh reload reply reset restart restore
    resume roll_back scan sign_out summari[sz]e switch sync toggle transcribe transfer turn
    uninstall unsubscribe
    checkout click clone close commit compile complete compute connect convert copy crawl create
    decode decrypt delete deploy deserialize determine download edit encode encrypt establish
    evaluate execute export extract fetch find fork generate get handle import initiali[sz]e insert
    install invoke kill launch list load locate lock log_in login lookup look_up match merge modify
    mount move navigate obtain open parse perform ping post process publish pull push put query
    reach read receive register remove rename render reserve resolve retrieve run save schedule
    scrape search send serialize set sign_in spawn start stat store submit subscribe terminate
    translate unlock update upload use validate verify write
    """
)
NAMED_THINGS = _any_of(
    r"""
    api[_-]?keys? access_tokens? args? arguments? body certificates? choice column command
    coordinates? credentials? cursor data dates? date_range email enum expression fields? file
    format function header id identifier permissions? access scopes? authori[sz]ation input json
    keys? literal login method name number operation option parameters? params?
    password path pattern payload propert(?:y|ies) query range regex requests? response schema
    selector session signature sql state status symbol syntax table ticker time
    timezone title token tool type uri url user(?:name)? uuid values? xpath
    """
)
WORKS = (
    _any_of(
        """
        request command query call tool tool_call tool_use function_call operation execution
        connection fetch build compilation validation verification authentication
        authori[sz]ation auth login upload download migration import export lookup installation
        deployment transaction navigation assertion edit write read update insert delete parsing
        api_call api_request http_request subprocess step action invocation handshake
        initiali[sz]ation transfer task merge rebase push pull commit checkout clone deploy sync
        backup restore payment booking registration submission conversion rendering search
        retrieval
        """
    )[:-1]
    + r"|[\w.-]{0,40}[_.]\w[\w.-]{0,40}|'[^'\n]{1,80}'|\"[^\"\n]{1,80}\")"
)
# What is called, as a message names it.
CALLED = _any_of(
    """
    tool feature function action operation command endpoint method api call request resource
    """
)
# "Error fetching x" tells what went wrong; "Error handling in Go" is what one writes about.
NO_TOPIC = (
    r"(?!handling|logging|report|track|check|correct|monitor|rating|messag|warn|budget|propagat)"
)
# What stands before a colon where the rest is a value, not a cause.
FIELD_NAMES = _any_of(
    """
    title name subject note summary description status state type result label key comment value
    content text query answer question message log fix feat last reason error warning
    """
)
# By what one thing is asked for.
IDENTIFIERS = _any_of(
    """
    ids? identifier name e-?mail key uuid guid slug number code handle username address path title
    url uri ref reference sha hash index symbol ticker sku isbn doi version tag phone
    """
)
# What a search finds none of, although it is spoken of as one.
MANY_THINGS = _any_of(
    """
    results? match(?:es)? matching data output news content information info evidence text change
    difference issue error problem activity history
    """
)
# What tools are asked to handle: a message about one of these is seldom a story.
HANDLED_THINGS = _any_of(
    """
    account action address agent alert amount api app application archive arguments? array
    attachment audio backend backup block board body bounding_box branch bucket buffer build
    cache calendar card cell certificate channel chart client cluster code collection column command
    commit config configuration connection contact container content conversation coordinates?
    count credentials? currency cursor customer dashboard database dataset date deadline dependency
    deployment depth device directory document domain duration edge element email endpoint
    environment event experiment expression extension feature fields? file filter flag folder
    format frame function graph group height host id identity image incident index input instance
    interval invoice issue item job json key label language layer length library license limit
    list locale location meeting message method metric milestone mode model module monitor name
    namespace network node note notebook number object offset operation option order organization
    package page panel params? parameters? password path pattern payload payment permission pipeline
    plan playlist plugin pod policy port position price product profile project prompt property
    provider quantity query queries quota range recipient record regex region release reminder
    report repository request resource role rule run scene schedule schema scope script secret
    selector sender server service session setting shape sheet signature size slot snapshot sprint
    stage step store stream string subject subscription symbol table tag task team template text
    thread ticket timeout timezone title token tool track transaction type url user username values?
    version video voice volume webhook width workbook worker workflow workspace
    """
)
# Where a message ends or explains itself: "Forbidden: x" refuses, "Forbidden City" is a place.
STOPS = (
    r"(?=\s*(?:\Z|[\n:;.,!?()\[\]{}'\"`<>/–—-])|\s(?:for|to|by|in|while|when|at|on|from|because"
    r"|due|as|since|with|during|after|before|validation|occurred|of|or|and"
    r"|is|was|were|are|has|have|must|provided|specified"
    r"|given|found|received|detected|returned|passed)\b)"
)
# The same after a thing that can be named: "Invalid path /x", "Unknown symbol ABC".
NAMING = rf"(?:{STOPS}|(?=\s\S*[\d_/=]|\s(?-i:[A-Z])))(?! check)"
# An argument of a call, as a message names it.
ARGUMENT = (
    r"(?:the )?(?:[\"'`]?[^\"'`\s]{1,60}[\"'`]|[\w.]{0,40}[_.]\w{1,40}|(?:\w+ ){0,2}?(?:arguments?"
    r"|parameters?|fields?|values?|propert(?:y|ies)|keys?|inputs?|quantity|url|path|regex|schema"
    r"|query|offset)(?: [\"'`][^\"'`\n]{1,60}[\"'`])?)"
)
# The first words of a sentence; word by word, because that is quicker than by characters.
# An address may stand among them: https://x.example, localhost:8080.
# They end where a sentence ends: what stands in the next one is seldom the failure.
SOME_WORDS = r"(?:(?:[^\s:：;]|:(?=[/\\\d]))++(?<![a-z)][.!?]) ){0,20}?"
# A failure as the name of a class, and as a symbol.
ERROR_NAMES = (
    r"[A-Z]\w{0,60}(?:Exceeded|NotFound|Denied|Unavailable|Timeout|Refused|Failed|Failure|Invalid"
    r"|Conflict|Exists|Expired|Forbidden|Unauthorized|Fault)"
    r"|(?:Invalid|Missing|Unknown|NoSuch|Unsupported|Unauthorized)[A-Z]\w{1,60}"
)
ERROR_SYMBOLS = (
    r"(?:[A-Z0-9]+_){0,6}(?:ERROR|FAILED|FAILURE|INVALID|DENIED|NOT_FOUND|EXCEEDED|EXHAUSTED"
    r"|UNAVAILABLE|TIMEOUT|BUSY|LOCKED|CONFLICT|UNAUTHENTICATED|UNAUTHORIZED|FORBIDDEN|EXPIRED"
    r"|ABORTED|UNIMPLEMENTED|ALREADY_EXISTS)"
    r"|(?:INVALID|MISSING|UNKNOWN|UNSUPPORTED|FAILED|SQLITE|ERR|NO_SUCH|BAD)_[A-Z_]+"
)
# "Error" where the message is in another language.
FOREIGN_ERRORS = (
    "错误|錯誤|エラー|오류|erreur|fehler|errore|erro|ошибка|помилка|błąd|blad|chyba|hata|fout|fel|fejl|feil"
    "|virhe|eroare|hiba|lỗi|kesalahan|σφάλμα|שגיאה|خطأ|त्रुटि|ข้อผิดพลาด"
)

# Without upper and lower case, so that the range is not looked through letter by letter. `\w` has
# these letters too: where either may stand, it stands alone, or each letter doubles the time.
_HAN = r"(?-i:[\u4e00-\u9fff])"
_CHINESE_VERBS = (
    "连接|访问|获取|读取|打开|找到|解析|识别|执行|完成|处理|加载|创建|删除|更新|保存|写入|发送|查询|登录|验证|使用|启动"
    "|下载|上传|确定|建立|分配|生成|调用|满足|提供|导入|导出|转换|定位|响应|预订|修改|取消"
)
# "The system shows no error", "on how to handle errors".
_NOTHING_FOUND = (
    rf"(?!{_HAN}{{0,6}}(?:未发现|没有发现|没有错误|没有异常|无错误|无异常|未检测到|未出现|没有出现"
    r"|如何|怎么|怎样|说明|介绍|关于))"
)
CHINESE = (
    (
        rf"{_NOTHING_FOUND}{_HAN}{{0,8}}\s?(?:错误|出错|报错|异常)(?:了|信息|代码"
        rf"|码)?\s?[A-Za-z0-9]{{0,8}}\s*(?:[:：,，。!！】]|\Z|\n)"
    ),
    (
        rf"(?![^\n]{{0,24}}(?:没有|未|无|不会)(?:发生|出现|遇到))(?:抱歉[,，]?)?[\w ]{{0,20}}"
        rf"(?:发生|出现|遇到)了?{_HAN}{{0,6}}(?:错误|异常|问题)"
    ),
    (
        r"(?![^\n。]{0,24}(?:成功|完成))[^\n。]{0,40}"
        r"请(?:检查|核对|重试|稍后(?:再试|重试)|确认[^\n。]{0,12}是否)"
    ),
    rf"(?:无法|未能|不能)(?:正常|成功)?(?:{_CHINESE_VERBS})",
    r"缺少\w{2,10}(?:[。.!！:：]|\Z)",
    r"(?:缺少|缺失)(?:[\w ]{0,8}(?:参数|字段|权限)|\s?(?-i:[a-z]+_\w+))",
    r"(?:无效|非法|不支持)的?[\w ]{1,12}",
    r"请求(?:过于频繁|超时|被拒绝|失败)",
    rf"{_HAN}{{0,10}}(?:次数|额度|配额|流量)(?:已达上限|达到上限|已用完|已耗尽|超限)",
    rf"(?:很?抱歉|对不起|很遗憾)[,，](?!(?:没有|未)[找查搜]){_HAN}",
    (
        rf"[\w ，,]{{2,40}}(?:过近|过远|过短|过长|原因)[,，]?{_HAN}{{0,4}}"
        rf"(?:无法|不能){_HAN}"
    ),
    r"(?:系统|服务器?)(?:繁忙|异常|不可用|维护中)|请稍后再试",
    rf"请(?:先|重新){_HAN}{{0,2}}登录",
    (
        rf"只有{_HAN}{{1,16}}(?:可以|才能|支持)|(?:当前|目前)?(?:没有|尚未|未)(?:加载|打开|选中"
        rf"|选择"
        rf"|连接){_HAN}|[\w ]{{0,20}}没有已(?:加载|连接|配置|启用|选择)的"
    ),
    rf"{_HAN}{{0,10}}请(?:使用|输入|填写|选择)(?:有效|正确|合法)的(?=[^\n]{{0,60}}\s*\Z)",
    r"请(?:指定|提供|传入|填写)|[\w=]{1,30} ?需要 ?\w{1,30} ?参数",
    (
        rf"(?:您|你|{_HAN}{{0,4}}(?:用户|账号|账户))?(?:没有|无|缺乏){_HAN}{{0,6}}权限|权限不足"
        rf"|余额不足"
    ),
    (
        r"(?:密码|用户名|账号|名称|标题|内容|昵称|参数)(?:长度)?(?:至少|最多|不能超过|不得少于|不少于)"
        r" ?\d"
    ),
    r"(?:文件|路径|名称|标题|密码|内容)必须(?:有|包含|以)|用法\s?[:：]|[无無][权權]\w|未授權|未登[錄入]|不合法的\w",
    # Of this call, and not by a rule of the house.
    (
        r"[\w ]{0,20}(?:不允许|不能|禁止)(?:调用|使用|执行|访问|操作|修改|删除|写入)"
        r"(?:[此该这当]|本(?:接口|工具|函数|方法|命令|功能|操作))"
    ),
    (
        r"[\w ]{1,20}不是(?:一个)?(?:合法|有效|正确)的?\s?(?:[A-Za-z]|网址|地址|路径|格式|日期|时间"
        r"|数字|整数|邮箱|参数|文件|编号|名称|类型|号码|值)"
    ),
    r"[\w ]{0,12}(?:调用|参数|输入|请求|命令|路径|指令)为空(?:[。.!！:：,，]|\s|\Z)",
    r"[\w ]{1,30}(?:为|是)?必填项?(?:[。!！]|\s*\Z)",
    r"未知(?:工具|命令|函数|参数|方法)|未登录|未授权|禁止访问|访问被拒绝|拒绝访问",
    r"未(?:配置|设置|指定|绑定|提供|传入)(?!\w{0,9}[的时])\w{2,12}(?:[。.!！:：,，(（]|\s|\Z)",
    (
        r"[\w ]{0,16}(?:参数|字段|标识|编号|链接|令牌|凭证|会话|密码|账号|签名|路径|格式|密钥|地址"
        r"|(?-i:ID|id|URL|url))\s?(?:已)?无效(?:[。.!！:：,，]|\s|\Z)"
    ),
    (
        r"(?![^\n]{0,60}默认)(?:参数|字段|属性)\s?[\w.'\"“”「」-]{1,40}\s?(?:超[过出]|不能|不得|无效|缺失|缺少|过[长大短小]"
        r"|为空|非法|错误|重复)"
    ),
    (
        r"(?![请如若]|当(?!前))[\w ]{1,20}(?:没有|尚未|未)(?:绑定|设置|指定)\w{0,4}"
        r"(?:[。.!！:：,，]|\s|\Z)"
    ),
    # A scan counts what it found, and a rule tells what each may do.
    r"[\w ]{1,16}包含(?:不安全|危险|恶意|非法|不允许)(?:的|字符|内容|操作)",
    r"检测到(?:危险|恶意|非法|敏感)(?!\w{0,6}\s?[：:]?\s?\d)",
    r"(?!每)[\w ]{1,30}最多(?:只能|允许)(?:调用|使用|请求|提交)",
    rf"{_HAN}{{1,8}}重复(?:注册|提交|创建|定义|添加|命名)了?\s*(?:[:：。!！]|\Z)",
    r"(?:找不到|未找到)(?:该|此|指定|用户|文件|资源|记录|对应)",
    r"(?:找不到|未找到)\s?(?:(?:id|编号|名称)\s?[为是]?|名[为是])\s?[^\s的。]{1,60}\s?的",
    rf"(?:找不到|未找到)(?!相关|匹配|任何|符合|结果){_HAN}{{1,10}}(?:[:：]|(?=\s?[\w-]{{0,40}}\d))",
    r"(?:找不到|未找到)(?!相关|匹配|任何|符合|结果)[\w ]{1,24}[:：]\s?[\w'\"]",
    r"[\w ]{0,20}[，,]?请通过 ?\w{1,30} ?(?:指定|传入|提供)",
    (r"[\w ]{1,20}(?:必须(?:填写|提供|指定|传入|是|为|在|大于|小于|不)|[需应]为)"),
    (
        rf"{_HAN}{{0,10}}(?:格式|参数|类型|密码|账号|验证码|签名|名称|地址|代码)不(?:正确|匹配|符合"
        rf"|对)"
    ),
    (
        r"[\w ]{1,20}(?:未|尚未|没有)(?:配置|初始化|安装)"
        r"(?=[:：,，。!！(（]|\s|\Z)"
    ),
    (
        r"[\w '\"“”「」_/.@#-]{0,30}"
        r"(?:失败|超时|不存在|未找到|找不到|不可用|已过期|已失效|超出限制|不能为空|过长|过大"
        r"|不合法|有误"
        r"|超限|已售罄|已售完|已满|已下架|不完整)"
        r"(?!的|率|次数|数|原因)了?(?:[:：,，。；!！(（]|\s|\Z)"
    ),
)
