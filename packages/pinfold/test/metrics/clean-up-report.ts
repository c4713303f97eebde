import { type CleanUpReport, seconds } from '@pinfold/core';

/** The report of a sweep that found nothing to do. */
export const EMPTY_REPORT: CleanUpReport = {
  reservations: 0,
  attempts: 0,
  uploads: 0,
  archives: 0,
  failures: 0,
  compared: 0,
  unnamed: 0,
  orphans: 0,
  missing: [],
  withoutArchive: [],
  ending: [],
  stored: null,
  listing: 'not_due',
  finished: true,
  rested: false,
  clockDiffers: false,
  removalBehind: seconds(90),
};
