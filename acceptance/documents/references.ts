import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './pages.ts';

/** A document of the repository as comments name it, from the root. */
const NAMED = /\b((?:docs|packages|examples|test-contracts)\/[\w./-]+\.md)(#[\w-]+)?/g;

const LINK = /\]\((?!https?:|mailto:)([^)#\s]*)(#[^)\s]+)?[^)]*\)/g;

/** References of a document's links, or of a source's comments, that lead nowhere. */
export function deadReferences(file: string, text: string): readonly string[] {
  const isDocument = file.endsWith('.md');
  const references = [...text.matchAll(isDocument ? LINK : NAMED)];
  return references.flatMap(([whole, path = '', anchor]) => {
    const target = isDocument ? join(dirname(file), decodeURI(path)) : join(root, path);
    const page = path === '' ? file : target;
    if (page !== file && !existsSync(page)) return [whole];
    if (anchor === undefined || !page.endsWith('.md')) return [];
    const content = page === file ? text : readFileSync(page, 'utf8');
    return anchorsOf(content).has(anchor.slice(1)) ? [] : [whole];
  });
}

/** Finds errors of Markdown: a fence without its other half, and text that becomes a part of a table. */
export function brokenMarkup(file: string, text: string): readonly string[] {
  if (!file.endsWith('.md')) return [];
  const rest = text.replaceAll(/^```\w[\s\S]*?^```$/gm, '');
  return [...rest.matchAll(/^```.*|(?<=^\|.*\n)(?!\|).+/gm)].map(([line]) => line);
}

/** Headings of the second level that a page has twice. */
export function repeatedHeadings(file: string, text: string): readonly string[] {
  if (!file.endsWith('.md')) return [];
  const headings = [...text.matchAll(/^## .+$/gm)].map(([heading]) => heading);
  return headings.filter((heading, place) => headings.indexOf(heading) < place);
}

/** The anchors that a page's headings get. */
export function anchorsOf(page: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of page.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ +(.*)$/gm)) {
    const plain = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .trim()
      .toLowerCase();
    const anchor = plain.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-');
    let unique = anchor;
    for (let again = 1; anchors.has(unique); again += 1) unique = `${anchor}-${again}`;
    anchors.add(unique);
  }
  return anchors;
}
