/** Returns the texts that `work` normalizes. */
export function textsNormalizedBy(work: () => void): readonly string[] {
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
