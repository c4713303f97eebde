import type { KeptWarning, SecretKind, Warning } from '@pinfold/core';
import type { Words } from './i18n.ts';
import type { rules } from './messages/en.ts';

type RuleMessage = keyof typeof rules;

/** All warnings of one rule about what was published. */
export interface RemarkGroup {
  readonly message: RuleMessage;
  readonly remarks: readonly Remark[];
}

/** Where something was seen, and what, empty where there is no more to say; `lang` where it is not the person's. */
export interface Remark {
  readonly path: string;
  readonly seen: string;
  readonly lang?: 'en';
}

const MESSAGES: Readonly<Record<Warning['rule'], RuleMessage>> = {
  case_mismatch: 'caseMismatch',
  broken_reference: 'brokenReference',
  source_map: 'sourceMap',
  possible_secret: 'possibleSecret',
  absolute_reference: 'absoluteReference',
  service_worker: 'serviceWorker',
  unused_server_file: 'unusedServerFile',
  password_dropped: 'passwordDropped',
  names_nearly_full: 'namesNearlyFull',
  not_all_checked: 'notAllChecked',
};

const SECRETS: Readonly<Record<SecretKind, RuleMessage>> = {
  private_key: 'privateKey',
  aws_access_key: 'awsAccessKey',
  github_token: 'githubToken',
  gitlab_token: 'gitlabToken',
  slack_token: 'slackToken',
  stripe_secret_key: 'stripeSecretKey',
  anthropic_api_key: 'anthropicApiKey',
  openai_api_key: 'openaiApiKey',
  npm_token: 'npmToken',
  pinfold_api_key: 'pinfoldApiKey',
  secret_file: 'secretFile',
};

/** Remarks in the order they came, one group a rule. It runs on the server and in the browser alike. */
export function groupRemarks(
  warnings: readonly KeptWarning[],
  words: Words<RuleMessage>,
): readonly RemarkGroup[] {
  return [...Map.groupBy(warnings, ({ rule }) => rule)].map(([rule, own]) => ({
    // A script may be older than the server it talks to.
    message: MESSAGES[rule] ?? 'otherRule',
    remarks: own.map((warning) => remarkOf(warning, words)).filter(({ path, seen }) => path + seen !== ''),
  }));
}

function remarkOf(warning: KeptWarning, words: Words<RuleMessage>): Remark {
  const path = 'path' in warning ? (warning.path ?? '') : '';
  if ('detail' in warning) return { path, seen: warning.detail, lang: 'en' };
  switch (warning.rule) {
    case 'case_mismatch':
      return { path, seen: words.say('caseMismatchSeen', { ...warning }) };
    case 'broken_reference':
    case 'absolute_reference':
      return { path, seen: warning.target };
    case 'possible_secret':
      return { path, seen: words.say(SECRETS[warning.secret]) };
    default:
      return { path, seen: '' };
  }
}
