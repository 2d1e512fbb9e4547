(create_table (object_reference) @name) @struct
(create_view (object_reference) @name) @struct
(create_materialized_view (object_reference) @name) @struct
(create_type . (keyword_create) . (keyword_type) . (object_reference) @name) @type
(create_function (object_reference) @name) @function
(create_procedure (object_reference) @name) @function
(create_trigger (keyword_trigger) . (object_reference) @name) @event
(create_schema (identifier) @name) @namespace
(create_index column: (identifier) @name) @key
(create_table (column_definitions (column_definition name: (_) @name) @field))
(comment) @doc
(marginalia) @doc
