/** Space, comments and directives before and between imports. */
const BETWEEN_IMPORTS =
  /(?:[\s;\uFEFF]+|\/\/[^\n]*|\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\/|#![^\n]*|(["'])use [a-z]+\1(?=\s*[;\n]))/y;
/** An import or export from another module; not if it has names in quotes. */
const DECLARATION =
  /(?:import(?![\w$.(])|export(?=\s*[*{]))(?:[^"'`;()=]{0,8192}?[\s}*]from)?\s{0,99}(["'])([^"'\\\n]{1,2048})\1(?:\s{0,99}(?:with|assert)\s{0,99}\{[^}]{0,999}\})?/y;
/** Skipped first: otherwise the search for the name of a module would run on after each of many local exports. */
const LOCAL_EXPORT_BEFORE_ANOTHER = /export\s{0,99}\{[^{}"']{0,8192}\}(?=[\s;]{0,99}(?:import|export)\b)/y;
const LOCAL_EXPORT = /export\s{0,99}\{[^{}"']{0,8192}\}/y;
/** Import maps resolve other names, which are not URLs. */
const URL_LIKE = /^\.{0,2}\//;

/**
 * The URLs that a module imports statically before its other code, where builders and people write imports. Later, a text
 * that looks like an import may be in a string.
 */
export function importsOf(script: string): readonly string[] {
  const targets: string[] = [];
  let at = 0;
  const matchNext = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(script);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  for (;;) {
    if (matchNext(BETWEEN_IMPORTS) !== null || matchNext(LOCAL_EXPORT_BEFORE_ANOTHER) !== null) continue;
    const target = matchNext(DECLARATION)?.[2];
    if (target === undefined && matchNext(LOCAL_EXPORT) === null) return targets;
    if (target !== undefined && URL_LIKE.test(target)) targets.push(target);
  }
}
