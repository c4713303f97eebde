import type { Headers } from '../pages/answers.ts';
import type { ViewerMode } from '../viewer-options.ts';
import type { FilePolicy } from './site-files.ts';

export interface FilePolicies {
  readonly open: FilePolicy;
  readonly protected: FilePolicy;
}

const ALWAYS = ['X-Content-Type-Options', 'nosniff', 'X-Robots-Tag', 'noindex'];
const OPEN = ['Cache-Control', 'no-cache'];
const PROTECTED = ['Cache-Control', 'private, no-cache'];
const SAME_ORIGIN = ['Referrer-Policy', 'same-origin'];

const SANDBOX =
  'sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads';

/** Headers of every answer inside a site in path mode: requests of its pages, which have an opaque origin, are cross-origin. */
export const FROM_ANYWHERE: Headers = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/** The same for an address that has a grant in it, or may have. */
export const FROM_ANYWHERE_UNNAMED: Headers = { ...FROM_ANYWHERE, 'Referrer-Policy': 'no-referrer' };

/** The headers of files in a mode. If viewers are told apart, all roles have the headers of those with a password. */
export function filePolicies(mode: ViewerMode, tellsApart: boolean): FilePolicies {
  const policies = policiesOf(mode);
  return tellsApart ? { ...policies, open: policies.protected } : policies;
}

function policiesOf(mode: ViewerMode): FilePolicies {
  if (mode === 'path') {
    const sandboxed = [
      'Content-Security-Policy',
      SANDBOX,
      ...Object.entries(FROM_ANYWHERE).flat(),
      ...ALWAYS,
    ];
    return {
      open: { index: 0, headers: [...OPEN, ...SAME_ORIGIN, ...sandboxed] },
      protected: { index: 1, headers: [...PROTECTED, 'Referrer-Policy', 'no-referrer', ...sandboxed] },
    };
  }
  const ownOnly = [
    ...['Cross-Origin-Resource-Policy', 'same-origin'],
    ...['Content-Security-Policy', "frame-ancestors 'self'"],
  ];
  return {
    open: { index: 0, headers: [...OPEN, ...SAME_ORIGIN, ...ALWAYS] },
    protected: { index: 1, headers: [...PROTECTED, ...SAME_ORIGIN, ...ALWAYS, ...ownOnly] },
  };
}
