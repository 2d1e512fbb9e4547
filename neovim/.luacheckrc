std = "luajit"
globals = { "vim" }
max_line_length = 120
max_cyclomatic_complexity = 10
