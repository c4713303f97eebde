/** The claims of an issuer about a person, unchecked. */
export type Claims = Readonly<Record<string, unknown>>;

/** The value at a path, from the first set of claims that has one. */
export function claimAt(claimSets: readonly Claims[], path: string): unknown {
  for (const claims of claimSets) {
    const found = memberAt(claims, path);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Without each address that the issuer has not verified: anybody may have written it. */
export function withVerifiedEmails(claimSets: readonly Claims[]): readonly Claims[] {
  return claimSets.map((claims) => {
    const { email, ...others } = claims;
    const verdicts = claimSets.filter((one) => one.email === email).map((one) => one.email_verified);
    const said = verdicts.filter((verdict) => verdict !== undefined);
    return said.length > 0 && said.every((verdict) => verdict === true) ? claims : others;
  });
}

/** Walks into objects at the dots. A name that has dots itself, as a URL has, comes before the walk. */
function memberAt(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const members = value as Claims;
  if (Object.hasOwn(members, path)) return members[path];
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) {
    const name = path.slice(0, dot);
    const found = Object.hasOwn(members, name) ? memberAt(members[name], path.slice(dot + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
