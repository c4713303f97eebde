/** The texts that are normalized meanwhile. */
export function normalisedBy(work: () => void): readonly string[] {
  const { normalize } = String.prototype;
  const texts: string[] = [];
  String.prototype.normalize = function (this: string, form?: string) {
    texts.push(this);
    return normalize.call(this, form);
  };
  try {
    work();
  } finally {
    String.prototype.normalize = normalize;
  }
  return texts;
}
