(declarations (function name: (_) @name) @function)
(declarations (function (infix operator: (_) @name)) @function)
(declarations (bind name: (_) @name) @function)
(declarations (signature name: (_) @name) @function)
(class_declarations [(function name: (_) @name) (bind name: (_) @name)] @function)
(instance_declarations [(function name: (_) @name) (bind name: (_) @name)] @function)
(class_declarations (signature name: (_) @name) @method)
(data_type name: (_) @name) @struct
(newtype name: (_) @name) @struct
(type_synonym name: (_) @name) @type
(class name: (_) @name) @interface
(instance name: (_) @scope patterns: (_) @name) @inside
(data_constructor constructor: (_ name: (constructor) @name)) @member
(newtype_constructor name: (constructor) @name) @member
(haddock) @doc
(comment) @doc
(pragma) @lead
