(stylesheet (rule_set (selectors) @name) @key)
(stylesheet (media_statement "@media" @name) @key)
(stylesheet (keyframes_statement (keyframes_name) @name) @key)
(comment) @doc
