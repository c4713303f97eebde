/** Space, comments and directives, which may stand before and between imports. */
const BETWEEN_IMPORTS =
  /(?:[\s;\uFEFF]+|\/\/[^\n]*|\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\/|#![^\n]*|(["'])use [a-z]+\1(?=\s*[;\n]))/y;
/** A declaration that names another module; names in quotes are left out. */
const DECLARATION =
  /(?:import(?![\w$.(])|export(?=\s*[*{]))(?:[^"'`;()=]{0,8192}?[\s}*]from)?\s{0,99}(["'])([^"'\\\n]{1,2048})\1(?:\s{0,99}(?:with|assert)\s{0,99}\{[^}]{0,999}\})?/y;
/** Passed first, or the name of a module would be looked for behind each of many. */
const LOCAL_EXPORT_BEFORE_ANOTHER = /export\s{0,99}\{[^{}"']{0,8192}\}(?=[\s;]{0,99}(?:import|export)\b)/y;
const LOCAL_EXPORT = /export\s{0,99}\{[^{}"']{0,8192}\}/y;
/** Others are names for import maps, which browsers do not resolve as URLs. */
const URL_LIKE = /^\.{0,2}\//;

/**
 * The URLs that a module imports statically, as long as its imports stand before its other code, as builders and people
 * write them. After that, a text that looks like an import may stand in a string.
 */
export function importsOf(script: string): readonly string[] {
  const targets: string[] = [];
  let at = 0;
  const takes = (form: RegExp): RegExpExecArray | null => {
    form.lastIndex = at;
    const match = form.exec(script);
    if (match !== null) at = form.lastIndex;
    return match;
  };
  for (;;) {
    if (takes(BETWEEN_IMPORTS) !== null || takes(LOCAL_EXPORT_BEFORE_ANOTHER) !== null) continue;
    const target = takes(DECLARATION)?.[2];
    if (target === undefined && takes(LOCAL_EXPORT) === null) return targets;
    if (target !== undefined && URL_LIKE.test(target)) targets.push(target);
  }
}
