import { BY_THE_API } from './usages.ts';

/** The options that say which server a command asks by its API. */
export const SERVER_OPTIONS = {
  url: { type: 'string', value: 'URL', says: 'the Pinfold to ask (or PINFOLD_URL)' },
  key: {
    type: 'string',
    value: 'KEY',
    says: 'an API key of it; better in PINFOLD_KEY, where other users of the machine cannot see it',
  },
} as const;

/** The options of each command that has any of its own, for taking its arguments apart and for its help. */
export const OPTIONS = {
  publish: {
    name: {
      type: 'string',
      value: 'NAME',
      says: 'what standard input is, such as report.html or site.zip, where PATH is -',
    },
    'with-files': {
      type: 'boolean',
      says: 'publish with a single page the images, styles and scripts beside it that it shows; on a terminal\nyou are asked',
    },
    'with-dot-files': {
      type: 'boolean',
      says: 'pack files and folders whose names begin with a dot, too (.well-known is always packed)',
    },
    qr: { type: 'boolean', says: 'show the link as a QR code, too' },
    title: { type: 'string', value: 'TEXT', says: 'the management title' },
    account: {
      type: 'string',
      value: 'NAME',
      says: 'whose publication it is; without --url only (default: default)',
    },
    'idempotency-key': {
      type: 'string',
      value: 'KEY',
      says: 'a key of your own: the same one with the same content publishes once;\nwhat fails for two and a half minutes names the one to go on with',
    },
    url: {
      type: 'string',
      value: 'URL',
      says: 'publish to a Pinfold elsewhere, by its API (or PINFOLD_URL)',
    },
    key: {
      type: 'string',
      value: 'KEY',
      says: 'the API key for it; better in PINFOLD_KEY, where other users of the machine cannot see it',
    },
  },
  doctor: {
    url: {
      type: 'string',
      value: 'URL',
      says: 'what to ask from outside, in the place of PINFOLD_PUBLIC_URL',
    },
  },
  login: {
    'no-browser': { type: 'boolean', says: 'only print the address of the page' },
  },
  list: {
    state: { type: 'string', value: 'STATE', says: 'published, expired or deleted only' },
  },
  password: {
    none: { type: 'boolean', says: 'end the protection' },
  },
  manage: {
    account: { type: 'string', value: 'NAME', says: 'whose publications it shows (default: default)' },
    admin: { type: 'boolean', says: 'whoever signs in administers the service as well' },
  },
  'keys create': {
    account: { type: 'string', value: 'NAME', says: '(default: default)' },
    label: { type: 'string', value: 'TEXT', says: 'for people to tell keys apart' },
    scope: {
      type: 'string',
      multiple: true,
      value: 'SCOPE',
      says: 'pins:read, pins:write, manage or admin, as often as needed (default: pins:read and pins:write)',
    },
  },
  'keys list': {
    account: { type: 'string', value: 'NAME', says: 'the keys of one account (default: all)' },
  },
  'accounts limits': {
    requests: { type: 'string', value: 'RATE', says: 'requests of the API by each process, such as 6000/1m' },
    publications: { type: 'string', value: 'RATE', says: 'new publications, such as 600/1h' },
    sites: { type: 'string', value: 'NUMBER', says: 'publications in service' },
    bytes: {
      type: 'string',
      value: 'NUMBER',
      says: 'bytes of their archives; each of these is also off, for none, or default, for what holds\nfor all accounts',
    },
  },
  'accounts block': {
    reason: { type: 'string', value: 'TEXT', says: 'why; for operators, the account is not told' },
    sites: {
      type: 'string',
      value: 'keep|hide',
      says: 'whether its sites go on being shown, or answer as stopped ones (default: keep)',
    },
  },
  'pins list': {
    account: { type: 'string', value: 'NAME', says: 'of one account (default: all)' },
    state: { type: 'string', value: 'STATE', says: 'published, expired or deleted only' },
    search: { type: 'string', value: 'TEXT', says: 'a text in the title or the id' },
  },
  'pins takedown': {
    reason: { type: 'string', value: 'TEXT', says: 'why; needed' },
    purge: { type: 'boolean', says: 'remove the archive now, rather than by a later sweep' },
    copies: { type: 'boolean', says: 'take down every other publication of the same archive, too' },
  },
  'sessions list': {
    account: { type: 'string', value: 'NAME', says: 'the sessions of one account (default: all)' },
  },
  mode: {
    message: { type: 'string', value: 'TEXT', says: 'what those are told who would change something' },
  },
  history: {
    account: { type: 'string', value: 'NAME', says: 'of one account (default: all)' },
    pin: { type: 'string', value: 'ID', says: 'of one publication' },
    since: {
      type: 'string',
      value: 'TIME',
      says: 'from this instant on, such as 2026-11-20 or 2026-11-20T09:30Z',
    },
  },
  copy: {
    'to-database': {
      type: 'string',
      value: 'URL',
      says: 'as PINFOLD_DATABASE_URL (default: SQLite in the folder of --to-data-dir)',
    },
    'to-storage': {
      type: 'string',
      value: 'URL',
      says: 'as PINFOLD_STORAGE_URL (default: files in the folder of --to-data-dir)',
    },
    'to-data-dir': {
      type: 'string',
      value: 'FOLDER',
      says: 'as PINFOLD_DATA_DIR; needed where one of the two is not given',
    },
  },
  verify: {
    sample: {
      type: 'string',
      value: 'NUMBER',
      says: 'read so many archives, chosen at random (default: all); what is missing is always found',
    },
  },
  cleanup: {
    'dry-run': {
      type: 'boolean',
      says: 'say what would be removed and what is missing, and change nothing; what is younger than a day\nis not compared, nor named as missing',
    },
    force: {
      type: 'boolean',
      says: 'compare storage with records now, and remove archives without a record anyway, 1,000 at a time',
    },
  },
} as const;

/** What help and completion know of an option. */
export interface Shown {
  readonly value?: string;
  readonly says: string;
}

/** The options of a command, but for those that nearly all of them take. */
export function optionsOf(name: string): Readonly<Record<string, Shown>> {
  const own = Object.hasOwn(OPTIONS, name) ? OPTIONS[name as keyof typeof OPTIONS] : {};
  return Object.hasOwn(BY_THE_API, name) ? { ...own, ...SERVER_OPTIONS } : own;
}
