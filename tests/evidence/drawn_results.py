"""What the blind rounds taught: results in both directions, with the arguments of their calls.

The build is that of answers which public servers gave, the words and the names are made up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.evidence.failure_kinds import Category

Arguments = dict[str, Any]

# The tool, its arguments, what it returned, whose failure that is where the words tell.
DRAWN_FAILURES: tuple[tuple[str, Arguments, Any, Category | None], ...] = (
    # Keys in the tongue of their authors.
    ("varrer_porto", {}, {"erro": "Timeout após 90s", "comando": "varrer -p 4"}, "server"),
    ("abrir_doca", {}, {"sucesso": False, "mensagem": "A doca não existe"}, "model"),
    ("enviar_aviso", {}, {"enviado": False, "motivo": "numero_invalido"}, "model"),
    ("hafen_melden", {}, {"fehler": "Kein Zugriff auf den Hafen"}, "environment"),
    ("run_scan", {}, {"comando": "scan", "codigo_saida": 2, "stderr": "bad option"}, None),
    # A batch of which nothing worked tells why in its items.
    (
        "release_boats",
        {},
        {
            "message": "Released 0/1 boats",
            "success_count": 0,
            "error_count": 1,
            "results": [{"boat": "B4", "error": "Permission denied for pier 4"}],
        },
        "environment",
    ),
    # Beside what a call asked for, only the refusal is news.
    (
        "publish_chart",
        {"path": "north.map", "host": "sea.example"},
        {"message": "Publishing not yet implemented", "path": "north.map", "host": "sea.example"},
        None,
    ),
    # A message, and what to do about it.
    (
        "list_piers",
        {},
        "⚠️ No harbour code provided.\n\nSOLUTION:\n1. Call get_harbours\n2. Pass harbour",
        "model",
    ),
    (
        "compute_dues",
        {},
        "⚠️ Incomplete boat address detected.\n\nRECOMMENDATION: Call check_address first.",
        "model",
    ),
    # In brackets as a whole.
    ("guardar_nota", {}, "[No se guardó nada: el texto estaba vacío]", "model"),
    ("agent_step", {}, "(未知工具，已跳过: moor)", "model"),
    # Good news first.
    ("save_entry", {}, "Entry received. However, it could not be saved: quota exceeded", None),
    ("edit_chart", {}, "Some marks were drawn but none of them could be kept. Read the map", None),
    ("print_ticket", {}, "Sent to printer HP-2, but the job was cancelled: out of paper", None),
    ("deploy_buoy", {}, "Hull built in 4 s.\nTowing out...\nError: denied by harbour policy", None),
    # What a harness says of a command, and what a command says of itself alone.
    ("run_command", {}, "The command contains a dangerous pattern. It has been blocked.", None),
    ("run_command", {}, "Command exceeded timeout of 90s: moor", "server"),
    ("run_command", {}, "Working directory not found: /quay", "model"),
    ("bash", {}, "working directory must be an absolute path: quay", "model"),
    ("bash", {}, "bash denied in watch mode: the command writes", "environment"),
    ("run_shell", {}, "Refusing to run a command of risk 'high'.", None),
    ("run_script", {}, "[stderr]\nSyntaxError: unmatched ')'", "model"),
    # Bare sentences.
    ("live_step", {}, "Session is not a live harbour session", "model"),
    ("call_tower", {}, "`pier.block` is a write (POST). Call it with write_action instead.", None),
    ("add_boats", {}, "boats/berths length mismatch", None),
    ("set_voice", {}, "No settings changed. Pass a pitch, a speed or both.", None),
    ("start_boat", {}, "Variable 'A' contains a dangerous character ';'.", "model"),
    ("moor_boat", {}, "Mooring failed — the pier may be full.", None),
    ("get_diff", {}, "Pull Request not found: 81", "model"),
    ("search_guides", {}, "Knowledge base unavailable.", "server"),
    ("draft_letter", {}, "api_key is required (the office issues one)", None),
    ("press_key", {}, "old_window_driver_disabled", None),
    ("open_gate", {}, "gate_not_paired", None),
    # Other languages.
    ("pier_check", {}, "会话标识无效", "model"),
    ("pier_patch", {}, "参数 pierId 超过长度限制", "model"),
    ("pier_find", {}, "项目根目录未设置", "environment"),
    ("draw_line", {}, "Нет открытой карты. Сначала вызовите open_map", "model"),
    ("pay_berth", {}, "Неизвестный тариф: зима", "model"),
    ("run_shell", {}, {"success": False, "stderr": "Заблокирована опасная команда"}, "environment"),
    ("run_shell", {}, {"success": False, "stderr": "Команда превысила лимит времени"}, "server"),
    ("git_status", {}, "Ошибка: Git не найден в PATH. Установите git.", "environment"),
    ("get_tide", {}, "Некорректный параметр: days не может быть больше 7.", "model"),
    ("get_tide", {}, "Не удалось получить прилив: некорректный ответ API", "server"),
    ("pay_berth", {}, "PIER_PAY_TOKEN не указан в .env", "environment"),
    ("call_tool", {}, "알 수 없는 도구입니다.", "model"),
    # Whose it is.
    ("start_boat", {}, "Night mode is not allowed. Enable it in the configuration.", "environment"),
    ("keep_key", {}, "A secure credential store is required.", "environment"),
    ("moor_boat", {}, {"error": "safety_gate_rejected", "reason": "protected_path"}, "environment"),
    ("list_maps", {}, {"error": "Map manager not initialized"}, "server"),
)
# The tool, its arguments, what it returned.
DRAWN_SUCCESSES: tuple[tuple[str, Arguments, Any], ...] = (
    ("varrer_porto", {}, {"erro": None, "barcos": 3}),
    ("contar_falhas", {}, {"erro": 0, "sucesso": True}),
    ("estado_doca", {}, {"saida": "doca 4: erro antigo", "codigo_saida": 0}),
    ("enviar_aviso", {}, {"enviado": True, "motivo": "falha no motor"}),
    ("fail_task", {"reason": "boom"}, {"success": True, "task": {"status": "failed"}}),
    # An answer that also repeats what it was asked for.
    ("publish_chart", {"path": "a"}, {"message": "Published to the north pier", "path": "a"}),
    # A heading and its parts.
    ("plan_trip", {}, "Trip to the lighthouse\n\nTips:\n- No dogs are allowed on the ferry"),
    ("read_guide", {}, "Access denied errors\n\nSolution:\nAsk the pilot for a badge"),
    ("list_ports", {}, "(no ports)"),
    ("get_colour", {}, "[blue]"),
    # Good news that goes on.
    ("save_entry", {}, "Entry saved. However, it is long: 4 pages"),
    ("import_rows", {}, "Imported 12 rows, but 3 could not be read: bad dates"),
    ("get_report", {}, "Calls fell in May.\nThey rose in June.\nError: none seen"),
    ("get_summary", {}, "The crew reached port, but the feast was cancelled: nobody came"),
    ("send_invite", {}, "Invites sent to Ana and Bo, but the pier was changed to B2"),
    ("deploy_buoy", {}, "Deployed buoy 4.\nError: none"),
    ("write_file", {}, "Wrote log.md:\n# Outages\nError: the mast broke"),
    # Symbols that were asked for.
    ("get_flag", {}, "night_mode_disabled"),
    ("get_state", {}, "gate_not_locked"),
    # Lines that were searched for, issues that are called by an exception.
    ("run_command", {}, {"output": "14:Error: cannot open display\n20:Error: cannot open display"}),
    (
        "get_issue",
        {},
        "# TypeError: boat is undefined\n\n**Status**: open\n**First seen**: 2 May\n**Events**: 41",
    ),
    ("check_ssl", {"host": "sea.example"}, "Certificate expired on 2 May (CN=sea.example)"),
    ("check_site", {}, {"url": "https://sea.example", "status_code": 503, "ok": False}),
    ("bash", {}, "shell must be sanded before paint is put on"),
    ("run_script", {}, "[stderr]\nUserWarning: the tide is late"),
    ("shell", {}, "STDERR:\nFrom sea.example:x/y\n   a1..b2  main -> origin/main\n"),
    # Prose and states.
    ("define_word", {}, "A whale is not a very big fish."),
    ("get_recipe", {}, "Butter burns quickly. Use oil instead."),
    ("get_forecast", {}, "Прогноз: переменная облачность, ветер неизвестен"),
    ("list_rules", {}, "请在未设置闹钟的日子休息"),
    ("get_rule", {}, "未设置密码的船员可以使用访客码头"),
    ("get_doc", {}, "参数 limit 不能超过 100，默认 20。"),
    ("get_story", {}, "Неизвестный гость: так назвали пьесу."),
    ("get_sales", {}, "No se vendió nada en enero."),
    ("get_menu", {}, "Dinner is not a formal dinner."),
    ("run_command", {}, "Command is required reading for the crew"),
    ("show_colours", {}, "Incomplete rainbows"),
)
