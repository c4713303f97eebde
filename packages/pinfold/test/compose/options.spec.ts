import { expect } from 'chai';
import {
  type AppOptions,
  createApp,
  openPinfold,
  type PinfoldOptions,
  readSettings,
  type SettingsError,
} from '../../src/index.ts';
import { newFolder } from '../servers/new-folder.ts';
import { settingsErrorOf } from '../servers/settings-error-of.ts';

type Wrong = readonly [expectation: RegExp, ...values: unknown[]];

const TEXT = /^must be a string that is not empty$/;
const FUNCTION = /^must be a function$/;
const OBJECT = /^must be an object$/;

/** The expected type of every option that only code can set, and values that it must not have. */
const WRONG_IN_CODE: { readonly [Name in Exclude<keyof AppOptions, 'terminal'>]-?: Wrong } = {
  persistence: [/^must be an object with migrate, check, and close$/, 'secret', {}, { migrate() {} }],
  archives: [/^must be an object with put, read, size, delete, list, and check$/, {}],
  staging: [/^must be an object with receive, sweep, countAbandoned, and check$/, {}],
  clock: [/^must be an object with now and sleep$/, Date.now, { now: Date.now }, null],
  machine: [/^must be an object with uptime$/, {}],
  ids: [/^must be an object with role, archive, token, event, nameToken, and digest$/, {}, []],
  identityProvider: [/^must be an object with begin and finish$/, {}],
  signIn: [/^must be an object with detail, challenge, and securityScheme$/, { detail: 'secret' }],
  limits: [OBJECT, null, [], 'secret'],
  access: [OBJECT, () => 'secret'],
  branding: [OBJECT, 'secret', true],
  keyLimit: [/^must be a whole number from 0, or null$/, -1, 1.5, 'secret', Number.NaN],
  administration: [/^must be true or false$/, 'secret', 1, null],
  observers: [/^must be an array of functions$/, () => undefined, [{}], 'secret'],
  modules: [/^must be an array of modules of InversifyJS 8$/, 'x', {}, [{}], [null]],
  authenticate: [FUNCTION, 5, 'secret', null],
  limitsOf: [FUNCTION, {}],
  beforePublish: [FUNCTION, true],
  onEvent: [FUNCTION, []],
  observe: [FUNCTION, 'secret'],
  onRequest: [FUNCTION, 'secret'],
  addHeaders: [FUNCTION, { traceparent: 'secret' }],
  log: [FUNCTION, console],
};

const WRONG_TEXTS: { readonly [Name in Exclude<keyof PinfoldOptions, keyof AppOptions>]-?: Wrong } = {
  dataDir: [TEXT, undefined, null, '', 5],
  publicUrl: [/^(must be a string that is not empty|must .*URL.*)$/, undefined, '', 'ftp://secret.example'],
  sitesUrl: [/^must have the scheme of/, 'https://secret.example'],
  viewerMode: [/^must be origin or path$/, 'secret'],
  database: [/^must be a URL/, 'mysql://secret'],
  storage: [/^must have the form s3:/, 'secret'],
  secret: [
    /^must (have at least 16 bytes|be a string that is not empty)/,
    'secret',
    ['more than sixteen bytes'],
  ],
  trustProxy: [/^must be a number of proxies/, 'secret'],
  logLevel: [/^must be trace/, 'secret'],
};

describe('the options in code', () => {
  let dataDir: string;

  before(() => {
    dataDir = newFolder();
  });

  const openers: Readonly<Record<'openPinfold' | 'createApp', (options: unknown) => Promise<unknown>>> = {
    openPinfold: (options) => openPinfold(options as PinfoldOptions),
    createApp: (options) =>
      createApp(readSettings({ PINFOLD_DATA_DIR: dataDir, PINFOLD_PORT: '0' }), options as AppOptions),
  };

  async function refusal(opener: keyof typeof openers, options: object): Promise<SettingsError> {
    const needed = opener === 'openPinfold' ? { dataDir, publicUrl: 'http://localhost' } : {};
    return await settingsErrorOf(openers[opener]({ ...needed, ...options }));
  }

  async function expectRefused(
    opener: keyof typeof openers,
    wrong: Readonly<Record<string, Wrong>>,
  ): Promise<void> {
    for (const [name, [expected, ...values]] of Object.entries(wrong)) {
      for (const value of values) {
        const { option, message, expectation } = await refusal(opener, { [name]: value });
        expect(option).to.equal(name);
        expect(expectation, name)
          .to.match(expected)
          .and.not.match(/secret\.example|\/\/secret/);
        expect(message).to.match(new RegExp(`^(PINFOLD_[A-Z_]+ \\(${name}\\)|${name}) `));
      }
    }
  }

  for (const opener of Object.keys(openers) as (keyof typeof openers)[]) {
    it(`of ${opener} with a wrong value are refused: the error names the option and the expected type, not the value`, () =>
      expectRefused(opener, WRONG_IN_CODE));

    it(`of ${opener} are refused if they are unknown, with a suggestion`, async () => {
      const access = { identify: () => 'ada', mayView: () => 'no' };
      expect((await refusal(opener, { acces: access })).message).to.equal(
        `acces is not an option of ${opener}. Did you mean access?`,
      );
      expect((await refusal(opener, { missingDataFolder: 'refused' })).message).to.equal(
        `missingDataFolder is not an option of ${opener}`,
      );
      const others = opener === 'openPinfold' ? { terminal: true } : { publicUrl: 'http://localhost' };
      expect((await refusal(opener, others)).message).to.match(/ is not an option of /);
    });

    it(`of ${opener} must be an object, and exclude an identity provider beside your own sign-in`, async () => {
      for (const options of [null, 'secret', []]) {
        const error = await openers[opener](options).catch((cause: Error) => cause);
        expect(error)
          .to.be.an.instanceOf(TypeError)
          .with.property('message', `${opener} takes an object of options`);
      }
      const provider = { begin: async () => undefined, finish: async () => undefined };
      const both = { authenticate: async () => undefined, identityProvider: provider };
      expect((await refusal(opener, both)).message).to.equal(
        'identityProvider must be absent if authenticate is given',
      );
    });
  }

  it('of createApp include terminal, which openPinfold refuses', () =>
    expectRefused('createApp', { terminal: [/^must be true or false$/, 'secret'] }));

  it('of openPinfold that are settings are strings, and errors name the option and the variable', async () => {
    await expectRefused('openPinfold', WRONG_TEXTS);
    expect((await refusal('openPinfold', { database: 'postgres://localhost/x' })).message).to.match(
      /^PINFOLD_SECRET \(secret\) must be set.*when PINFOLD_DATABASE_URL \(database\) is/,
    );
    expect((await refusal('openPinfold', { dataDir: '/proc/nothing' })).option).to.equal('dataDir');
    const error = await openPinfold(undefined as unknown as PinfoldOptions).catch((cause: Error) => cause);
    expect(error).to.be.an.instanceOf(TypeError);
  });
});
