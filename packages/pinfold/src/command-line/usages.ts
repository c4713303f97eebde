/** How a command is called, for its help and for completion. */
export interface Usage {
  /** What comes after its name. */
  readonly takes?: string;
  readonly says: string;
  readonly example: string;
}

/** The commands that work on the settings of a server, on its machine. */
export const ON_THE_MACHINE = {
  serve: { says: 'run the server until SIGTERM', example: 'PINFOLD_PORT=9000 pinfold serve' },
  publish: {
    takes: 'PATH',
    says: 'publish a folder, a .zip or a single .html; prints the shared URL',
    example: 'pinfold publish ./dist --title "Spring catalogue"',
  },
  pin: {
    takes: 'ID',
    says: 'keep a publication',
    example: 'pinfold pin 0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20',
  },
  unpin: {
    takes: 'ID',
    says: 'let it expire again, after the time that a renewal gives',
    example: 'pinfold unpin 0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20',
  },
  manage: {
    says: 'print a link that signs in to the management screen, once',
    example: 'pinfold manage --account web-team',
  },
  'keys create': {
    says: 'make an API key; prints it, this once',
    example: 'pinfold keys create --account web-team --label "build server"',
  },
  'keys list': { says: 'all keys', example: 'pinfold keys list --json' },
  'keys revoke': { takes: 'ID', says: 'shut a key out at once', example: 'pinfold keys revoke 7Hq2Xw' },
  'accounts list': { says: 'all accounts, with what they use', example: 'pinfold accounts list --json' },
  'accounts show': { takes: 'NAME', says: 'one of them', example: 'pinfold accounts show web-team' },
  'accounts limits': {
    takes: 'NAME',
    says: 'bound what one account may use',
    example: 'pinfold accounts limits web-team --publications 100/1d --sites 200',
  },
  'accounts block': {
    takes: 'NAME',
    says: 'let it publish and change nothing',
    example: 'pinfold accounts block web-team --reason "Phishing, ticket 4711"',
  },
  'accounts unblock': {
    takes: 'NAME',
    says: 'let it do so again',
    example: 'pinfold accounts unblock web-team',
  },
  'pins list': {
    says: 'publications of all accounts, newest first; all but stopped ones',
    example: 'pinfold pins list --account web-team --search invoice',
  },
  'pins show': {
    takes: 'ID',
    says: 'all about one, whoever owns it',
    example: 'pinfold pins show https://pins.example/s/0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20',
  },
  'pins stop': {
    takes: 'ID',
    says: 'take it away from all viewers, whoever owns it',
    example: 'pinfold pins stop 0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20',
  },
  'pins takedown': {
    takes: 'ID',
    says: 'stop it, and let nobody publish its archive again',
    example: 'pinfold pins takedown 0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20 --reason Phishing --copies --purge',
  },
  'takedowns list': { says: 'what was taken down', example: 'pinfold takedowns list --json' },
  'takedowns lift': {
    takes: 'SHA256',
    says: 'let an archive be published again; what was taken down stays stopped',
    example: 'pinfold takedowns lift 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  },
  'takedowns export': {
    says: 'print what was taken down, one JSON object a line',
    example: 'pinfold takedowns export > takedowns.jsonl',
  },
  'takedowns import': {
    takes: '[FILE]',
    says: 'take down again what an export names, after a database was restored',
    example: 'pinfold takedowns import takedowns.jsonl',
  },
  'sessions list': {
    says: 'who is signed in to the management screen',
    example: 'pinfold sessions list --account web-team',
  },
  'sessions end': {
    takes: 'ID',
    says: 'sign somebody out at once',
    example: 'pinfold sessions end 9f86d081884c7d65',
  },
  mode: {
    takes: '[MODE]',
    says: 'how the service runs; normal, or read_only while you maintain it',
    example: 'pinfold mode read_only --message "Back at noon"',
  },
  history: {
    says: 'what happened, newest first: who published, changed and stopped what',
    example: 'pinfold history --since 2026-11-20',
  },
  cleanup: {
    says: 'remove what is no longer needed; the server does so by itself',
    example: 'pinfold cleanup --dry-run',
  },
  doctor: {
    says: 'try what goes wrong in practice, and say what to do about it',
    example: 'pinfold doctor --url https://pins.example',
  },
  export: {
    takes: 'FOLDER|-',
    says: 'write all records and archives to a folder, or as a tar',
    example: 'pinfold export /backup/pinfold',
  },
  import: {
    takes: 'FOLDER|-',
    says: 'take an export into an empty database',
    example: 'pinfold import /backup/pinfold',
  },
  copy: {
    says: 'export and import in one, into another database and storage',
    example:
      'pinfold copy --to-database postgres://db.internal/pinfold --to-storage s3://share-archives/pinfold',
  },
  verify: {
    says: 'read archives and compare them with the records',
    example: 'pinfold verify --sample 100',
  },
  migrate: {
    says: 'bring the database up to this release; every command does so by itself',
    example: 'pinfold migrate',
  },
} as const;

/** The commands that work by the API of the Pinfold that PINFOLD_URL names. */
export const BY_THE_API = {
  list: {
    says: 'your publications, newest first; all but stopped ones',
    example: 'pinfold list --state published',
  },
  show: {
    takes: 'ID',
    says: 'all about one',
    example: 'pinfold show https://pins.example/s/0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20',
  },
  rename: {
    takes: 'ID TITLE',
    says: 'give it another title; "" takes it away',
    example: 'pinfold rename 0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20 "Summer catalogue"',
  },
  password: {
    takes: 'ID',
    says: 'protect it with a password, which is asked for or read from a pipe',
    example: 'pinfold password 0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20 < password.txt',
  },
  renew: {
    takes: 'ID',
    says: 'let it expire later: the time that a renewal gives from now',
    example: 'pinfold renew 0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20',
  },
  stop: {
    takes: 'ID',
    says: 'take it away from all viewers, for good',
    example: 'pinfold stop 0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20',
  },
  open: {
    takes: 'ID',
    says: 'open it in the browser',
    example: 'pinfold open 0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20',
  },
} as const;

/** The commands about the command itself. */
export const ABOUT = {
  login: {
    takes: 'URL',
    says: 'get a key of the Pinfold there by its management screen, and keep it for other commands',
    example: 'pinfold login https://pins.example',
  },
  completion: {
    takes: 'SHELL',
    says: 'print what lets bash, zsh or fish complete all this',
    example: 'eval "$(pinfold completion bash)"',
  },
  version: { says: 'which release this is', example: 'pinfold version' },
  help: {
    takes: '[COMMAND]',
    says: 'this, or the options and an example of a command',
    example: 'pinfold help publish',
  },
} as const;

/** Every command. */
export const USAGES: Readonly<Record<string, Usage>> = { ...ON_THE_MACHINE, ...BY_THE_API, ...ABOUT };

type FirstWord<Name> = Name extends `${infer First} ${string}` ? First : Name;

/** What the first argument may be. */
export type CommandName = FirstWord<
  keyof typeof ON_THE_MACHINE | keyof typeof BY_THE_API | keyof typeof ABOUT
>;
