// Checks that Lua files are formatted as stylua.toml says; `--write` formats them.
// StyLua comes as a WebAssembly library without a command; NODE_PATH says where it is.

const fs = require("node:fs");
const path = require("node:path");
const { Config, IndentType, OutputVerification, formatCode } = require("@johnnymorganz/stylua");

const options = fs.readFileSync(path.join(__dirname, "../stylua.toml"), "utf8");
const number = (name) => Number(options.match(new RegExp(`^${name} = (\\d+)$`, "m"))[1]);

function configuration() {
  const config = Config.new();
  config.column_width = number("column_width");
  config.indent_type = IndentType.Spaces;
  config.indent_width = number("indent_width");
  return config;
}

const files = process.argv.slice(2).filter((name) => name !== "--write");
const unformatted = files.filter((name) => {
  const text = fs.readFileSync(name, "utf8");
  const formatted = formatCode(text, configuration(), undefined, OutputVerification.Full);
  if (formatted !== text && process.argv.includes("--write")) {
    fs.writeFileSync(name, formatted);
  }
  return formatted !== text;
});
for (const name of unformatted) {
  console.log(`${process.argv.includes("--write") ? "formatted" : "not formatted"}: ${name}`);
}
if (unformatted.length > 0 && !process.argv.includes("--write")) {
  process.exit(1);
}
