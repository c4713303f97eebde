import { DECIMAL, type ReadVariable, readNumber, readOneOf, readSwitch } from './read-variable.ts';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const FORMATS = ['json', 'text'] as const;

/** How much is logged; `silent` is nothing. */
export type LogLevel = (typeof LEVELS)[number];

/** `json`: one object a line; `text`: short lines for a person at a terminal. */
export type LogFormat = (typeof FORMATS)[number];

export interface LogSettings {
  readonly logLevel: LogLevel;
  /** Absent: text where standard output is a terminal, else JSON. */
  readonly logFormat: LogFormat | undefined;
  /** Whether the log has the addresses of clients. */
  readonly logAddresses: boolean;
  /** The share of successful views that is logged, from 0 to 1. */
  readonly logViews: number;
}

export function readLogSettings(read: ReadVariable): LogSettings {
  return {
    logLevel: read('LOG_LEVEL', readOneOf(LEVELS, 'info')),
    logFormat: read('LOG_FORMAT', readOneOf(FORMATS, undefined)),
    logAddresses: read('LOG_ADDRESSES', readSwitch(false)),
    logViews: read('LOG_VIEWS', readNumber(1, 0, 1, 'must be a number from 0 to 1, such as 0.01', DECIMAL)),
  };
}
