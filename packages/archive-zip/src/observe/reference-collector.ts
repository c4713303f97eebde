/** A reference to another file in a page, a style sheet, a module or a manifest. */
export interface Reference {
  /** The attribute's value, with character references resolved as far as URLs need it. */
  readonly target: string;
  /** Whether following it is a navigation (a link), rather than loading a part of the page. */
  readonly navigation: boolean;
  /** The `href` of the page's `<base>`, if the target is relative to it. */
  readonly base?: string;
  /** Whether the reference is the `<base>` itself, which loads nothing. */
  readonly isBase?: true;
  readonly isModule?: true;
}

/** The bounds for searching one file. */
export interface ObservationBounds {
  /** The maximum work to read and follow references, in compared characters. */
  readonly work: number;
  /** Called now and then; throws to end the search. */
  readonly checkpoint?: () => void;
}

/** Cost of a tag without a new reference, in characters. */
const TAG_COST = 8;
/** Cost of reading, looking up and judging a reference, in addition to its length in characters. */
const REFERENCE_COST = 48;
/** A slash in any form: the reference may lead into another folder. */
const SLASH = /[\\/%]/;
const FOLDERS = /^.*[\\/%]/s;
/** The number of steps between two calls of `checkpoint`. */
const CHECK_EVERY = 256;

/** Collects the references of one file, each once, until they need more work than the bounds allow. */
export class ReferenceCollector {
  /** Whether the bounds sufficed for the whole file. */
  whole = true;
  readonly #file: string;
  readonly #checkpoint: (() => void) | undefined;
  readonly #references: Reference[] = [];
  readonly #seen = new Set<string>();
  readonly #folders = new Set<string>();
  #remaining: number;
  #steps = 0;
  #base: string | undefined;

  constructor(file: string, { work, checkpoint }: ObservationBounds) {
    this.#file = file;
    this.#remaining = work;
    this.#checkpoint = checkpoint;
  }

  /** The collected references. Links before the page's `<base>` are relative to it, too, but parts loaded before are not. */
  references(): readonly Reference[] {
    const base = this.#base;
    if (base === undefined) return this.#references;
    return this.#references.map((reference) => (reference.navigation ? { ...reference, base } : reference));
  }

  /** Sets the `href` of the page's first `<base>`, to which later references are relative. */
  setBase(href: string): boolean {
    this.#base = href;
    return this.add(href, { navigation: false, isBase: true });
  }

  get hasBase(): boolean {
    return this.#base !== undefined;
  }

  /** Subtracts a cost from the remaining work; returns whether there was enough. */
  spend(characters: number): boolean {
    this.#steps += 1;
    if (this.#steps % CHECK_EVERY === 0) this.#checkpoint?.();
    this.#remaining -= characters;
    if (this.#remaining < 0) this.whole = false;
    return this.whole;
  }

  /**
   * Adds a reference once; returns false once the bounds are used up.
   *
   * @param target the converted value, see {@link targetOf}; empty for none.
   * @param value the value in the file: repeated ones cost little.
   */
  add(target: string, kind: Omit<Reference, 'target' | 'base'>, value: string = target): boolean {
    const isNew = target !== '' && !this.#seen.has(value);
    if (!this.spend(isNew ? this.#costOf(target) : TAG_COST)) return false;
    this.#seen.add(value);
    const base = kind.isBase === true ? undefined : this.#base;
    if (isNew) this.#references.push({ target, ...kind, ...(base !== undefined && { base }) });
    return true;
  }

  /** The first reference to a folder also costs twice the length of the file's path, for finding that folder. */
  #costOf(target: string): number {
    const cost = REFERENCE_COST + target.length;
    const folders = SLASH.test(target) ? FOLDERS.exec(target)?.[0] : undefined;
    if (folders === undefined || this.#folders.has(folders)) return cost;
    this.#folders.add(folders);
    return cost + 2 * (this.#file.length + (this.#base?.length ?? 0));
  }
}
