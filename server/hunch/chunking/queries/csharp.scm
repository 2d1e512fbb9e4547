(namespace_declaration name: (_) @name) @namespace
(class_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(struct_declaration name: (_) @name) @struct
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(enum_member_declaration name: (_) @name) @member
(delegate_declaration name: (_) @name) @type
(constructor_declaration name: (_) @name) @constructor
(destructor_declaration name: (_) @name) @method
(method_declaration name: (_) @name) @method
(local_function_statement name: (_) @name) @function
(operator_declaration operator: _ @name) @operator
(indexer_declaration "this" @name) @property
(property_declaration name: (_) @name) @property
(event_declaration name: (_) @name) @event
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name))) @event
(field_declaration (variable_declaration (variable_declarator name: (_) @name))) @field
(comment) @doc
