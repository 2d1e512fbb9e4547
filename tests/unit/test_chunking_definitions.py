"""Which definitions each language gives, with their paths and kinds."""

from __future__ import annotations

import pytest

from hunch.chunking.chunker import chunk_document

CASES = {
    "a.py": (
        """
        LIMIT = 3
        class Client(Base):
            timeout: int = 5
            def __init__(self): ...
            @property
            def url(self): ...
            async def send(self):
                def retry(): ...
        def main(): ...
        """,
        """
        LIMIT constant
        Client class
        Client.timeout field
        Client.__init__ constructor
        Client.url property
        Client.send method
        Client.send.retry function
        main function
        """,
    ),
    "a.js": (
        """
        const limit = 3;
        const arrow = () => {};
        var old = function () {};
        const Named = class {};
        export class Client { #x = 1; constructor() {} send() {} get url() {} on = () => {} }
        export default function () {}
        function* gen() { function inner() {} }
        const api = { get() {}, post: () => {}, 'put-it': function () {} };
        module.exports = function exported() {};
        exports.helper = () => {};
        Foo.prototype.bar = function () {};
        Foo.create = function named() {};
        """,
        """
        limit variable
        arrow function
        old function
        Named class
        Client class
        Client.#x field
        Client.constructor constructor
        Client.send method
        Client.url property
        Client.on method
        default function
        gen function
        gen.inner function
        api variable
        api.get method
        api.post method
        api.put-it method
        exported function
        helper function
        Foo.bar method
        Foo.create function
        """,
    ),
    "a.ts": (
        """
        export interface Shape { area(): number; name: string }
        type Id = string;
        enum Color { Red, Green = 2 }
        export abstract class Client<T> { private url: string; abstract send(): void; go = async () => {} }
        namespace util { export function pad() {} }
        export const make = <T>(x: T) => x;
        export default class extends Client {}
        declare function ambient(): void;
        """,
        """
        Shape interface
        Shape.area method
        Shape.name property
        Id class
        Color enum
        Color.Red enum_member
        Color.Green enum_member
        Client class
        Client.url field
        Client.send method
        Client.go method
        util namespace
        util.pad function
        make function
        default class
        ambient function
        """,
    ),
    "a.tsx": ("export const View = () => <p>{x}</p>;\n", "View function"),
    "a.go": (
        """
        package a
        const Limit = 3
        var debug bool
        type Client struct { URL string }
        type Sender interface { Send() error }
        type Id = string
        type Code int
        func (c *Client) Send() error { return nil }
        func (s Set[T]) Add(x T) {}
        func main() {}
        """,
        """
        Limit constant
        debug variable
        Client struct
        Client.URL field
        Sender interface
        Sender.Send method
        Id class
        Code class
        Client.Send method
        Set.Add method
        main function
        """,
    ),
    "a.rs": (
        """
        const LIMIT: u8 = 3;
        pub struct Client<T> { url: T }
        enum Color { Red }
        trait Send { fn send(&self); }
        impl<T> Send for Client<T> { fn send(&self) {} }
        impl a::Other { fn new() {} }
        mod inner { fn f() {} }
        macro_rules! m { () => {} }
        type Id = u8;
        """,
        """
        LIMIT constant
        Client struct
        Client.url field
        Color enum
        Color.Red enum_member
        Send interface
        Send.send method
        Client.send method
        a.Other.new method
        inner module
        inner.f function
        m function
        Id class
        """,
    ),
    "A.java": (
        """
        class Client { static final int LIMIT = 3; Client() {} void send() {} enum Color { RED } }
        record Pair(int a) {}
        interface Sender { void go(); }
        @interface Marker {}
        """,
        """
        Client class
        Client.LIMIT field
        Client.Client constructor
        Client.send method
        Client.Color enum
        Client.Color.RED enum_member
        Pair class
        Sender interface
        Sender.go method
        Marker interface
        """,
    ),
    "a.c": (
        """
        #define LIMIT 3
        #define MAX(a, b) (a)
        struct client { int fd; };
        typedef struct { int x; } point;
        enum color { RED };
        typedef int id;
        static int counter = 0;
        int proto(void);
        static char *name(int x) { return 0; }
        int (*pick(int x))(void) { return 0; }
        """,
        """
        LIMIT constant
        MAX function
        client struct
        point struct
        color enum
        color.RED enum_member
        id class
        counter variable
        proto function
        name function
        pick function
        """,
    ),
    "a.cpp": (
        """
        namespace net {
        FOO_BEGIN_NAMESPACE
        template <typename T>
        class FOO_EXPORT Client : Base { public: Client(); ~Client() {} void send() {} int fd; };
        void Client::close() {}
        bool operator==(A a, B b) { return true; }
        Client& Client::operator=(const Client& c) { return *this; }
        enum class Color { Red };
        using Id = int;
        }
        TEST(ClientTest, Sends) { run(); }
        """,
        """
        net namespace
        net.Client class
        net.Client.Client method
        net.Client.~Client method
        net.Client.send method
        net.Client.fd field
        net.Client.close method
        net.operator== function
        net.Client.operator= method
        net.Color enum
        net.Color.Red enum_member
        net.Id class
        ClientTest.Sends method
        """,
    ),
    "a.cs": (
        """
        namespace A.B {
        class Client { int fd; public int Url { get; set; } public Client() {} void Send<T>() {} event E Done; }
        struct Point {} interface ISend {} enum Color { Red } record Pair(int A);
        }
        """,
        """
        A.B namespace
        A.B.Client class
        A.B.Client.fd field
        A.B.Client.Url property
        A.B.Client.Client constructor
        A.B.Client.Send method
        A.B.Client.Done event
        A.B.Point struct
        A.B.ISend interface
        A.B.Color enum
        A.B.Color.Red enum_member
        A.B.Pair class
        """,
    ),
    "a.rb": (
        """
        module Net
          LIMIT = 3
          class Client < Base
            attr_reader :url
            def self.open; end
            def send?; end
            def <=>(other); end
            scope :recent, -> { x }
          end
        end
        def main; end
        """,
        """
        Net module
        Net.LIMIT constant
        Net.Client class
        Net.Client.url property
        Net.Client.open method
        Net.Client.send? method
        Net.Client.<=> method
        Net.Client.recent method
        main function
        """,
    ),
    "a.php": (
        """
        <?php
        namespace App\\Http;
        const K = 1;
        class Client { const LIMIT = 3; private $url = 1; public function __construct() {} function send() {} }
        interface Sender {} trait Loud {} enum Color: string { case Red = 'r'; }
        function main() {}
        """,
        """
        K constant
        Client class
        Client.LIMIT constant
        Client.url field
        Client.__construct constructor
        Client.send method
        Sender interface
        Loud class
        Color enum
        Color.Red enum_member
        main function
        """,
    ),
    "a.sh": (
        """
        LIMIT=3
        export path=x
        main() { :; }
        function other { local x=1; }
        """,
        """
        LIMIT constant
        path variable
        main function
        other function
        """,
    ),
    "a.lua": (
        """
        local M = {}
        function M.open(x) end
        function M:send() end
        local function helper() end
        M.close = function() end
        local t = { run = function() end }
        """,
        """
        M constant
        M.open function
        M.send method
        helper function
        M.close function
        t variable
        t.run function
        """,
    ),
    "a.kt": (
        """
        class Client(val url: String) : Base() {
          val fd = 1
          constructor(x: Int) : this("")
          fun send() {}
          companion object Factory { fun make() {} }
        }
        object Single {
        }
        interface Sender {
          fun go()
        }
        enum class Color { RED, GREEN }
        typealias Id = Int
        fun String.shout(): Int = 1
        fun <T> List<T>.loud() {}
        val top = 1
        """,
        """
        Client class
        Client.fd field
        Client.constructor constructor
        Client.send method
        Client.Factory class
        Client.Factory.make method
        Single class
        Sender interface
        Sender.go method
        Color enum
        Color.RED enum_member
        Color.GREEN enum_member
        Id class
        String.shout method
        List.loud method
        top variable
        """,
    ),
    "a.swift": (
        """
        class Client: Base { let fd = 1; init(x: Int) {}
          func send() {} }
        struct Point { var x: Int { 2 } }
        enum Color { case red, green(Int) }
        extension Client.Inner: P { func q() {} }
        protocol Sender { func go() }
        typealias Id = Int
        func main() {}
        """,
        """
        Client class
        Client.fd property
        Client.init constructor
        Client.send method
        Point struct
        Point.x property
        Color enum
        Color.red enum_member
        Color.green enum_member
        Client.Inner.q method
        Sender interface
        Sender.go method
        Id class
        main function
        """,
    ),
    "a.scala": (
        """
        case class Client[T](url: String) extends Base {
          val fd = 1
          def send(x: Int): Int = 1
        }
        object Client { def apply() = 1 }
        trait Sender { def go: Int }
        enum Color { case Red, Green }
        """,
        """
        Client class
        Client.fd field
        Client.send method
        Client class
        Client.apply method
        Sender interface
        Sender.go method
        Color enum
        Color.Red enum_member
        Color.Green enum_member
        """,
    ),
    "a.ex": (
        """
        defmodule Net.Client do
          @doc "sends"
          @spec send(integer) :: integer
          def send(x) when x > 1 do
            1
          end
          def send(0), do: 0
          defp helper, do: 1
          defmacro m(x), do: x
        end
        defprotocol Sender do
          def go(x)
        end
        defimpl Sender, for: Atom do
          def go(x), do: x
        end
        """,
        """
        Net.Client module
        Net.Client.send function
        Net.Client.helper function
        Net.Client.m function
        Sender interface
        Sender.go method
        Sender.go method
        """,
    ),
    "a.hs": (
        """
        module Net where

        -- | Sends.
        send :: Int -> Int
        send 0 = 1
        send x = y where y = x

        data Shape a = Circle { radius :: Int } | Square deriving Show
        newtype Id = Id Int
        type Name = String
        class Sender a where
          go :: a -> Int
        instance Sender Int where
          go x = 1
        a <+> b = a
        """,
        """
        send function
        Shape struct
        Shape.Circle enum_member
        Shape.Square enum_member
        Id struct
        Id.Id enum_member
        Name class
        Sender interface
        Sender.go method
        Sender.Int.go method
        <+> function
        """,
    ),
    "a.zig": (
        """
        const limit = 3;
        pub const Client = struct {
            url: u32,
            pub fn send(self: Client) void {}
        };
        const Color = enum { red };
        pub fn main() !void {}
        test "it works" {}
        """,
        """
        limit variable
        Client struct
        Client.url field
        Client.send method
        Color enum
        Color.red enum_member
        main function
        """,
    ),
    "a.sql": (
        """
        CREATE TABLE shop.orders (id int primary key);
        CREATE OR REPLACE FUNCTION total(a int) RETURNS int AS $$ SELECT 1; $$ LANGUAGE sql;
        CREATE VIEW recent AS SELECT 1;
        CREATE INDEX by_id ON shop.orders(id);
        """,
        """
        shop.orders struct
        shop.orders.id field
        total function
        recent struct
        by_id key
        """,
    ),
}


def _lines(block: str) -> list[str]:
    return [line.strip() for line in block.splitlines() if line.strip()]


def _source(block: str) -> str:
    lines = block.strip("\n").splitlines()
    indent = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[indent:] for line in lines) + "\n"


@pytest.mark.parametrize("name", CASES)
def test_definitions_have_their_paths_and_kinds(name: str) -> None:
    """Every definition of a sample is listed in source order with its symbol path and kind."""
    source, expected = CASES[name]
    document = chunk_document(name, _source(source))
    found = [
        (definition.line, f"{definition.path} {definition.kind.name.lower()}")
        for chunk in document.chunks
        for definition in chunk.definitions
    ]
    assert document.note == ""
    assert [text for _, text in sorted(found, key=lambda pair: pair[0])] == _lines(expected)
