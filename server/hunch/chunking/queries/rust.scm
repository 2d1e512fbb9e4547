(struct_item name: (_) @name) @struct
(union_item name: (_) @name) @struct
(enum_item name: (_) @name) @enum
(enum_variant name: (_) @name) @member
(trait_item name: (_) @name) @interface
(impl_item type: (_) @name) @inside
(mod_item name: (_) @name body: (_)) @module
(function_item name: (_) @name) @function
(function_signature_item name: (_) @name) @function
(macro_definition name: (_) @name) @function
(type_item name: (_) @name) @type
(const_item name: (_) @name) @constant
(static_item name: (_) @name) @constant
(struct_item body: (field_declaration_list (field_declaration name: (_) @name) @field))
(line_comment) @doc
(block_comment) @doc
(attribute_item) @lead
