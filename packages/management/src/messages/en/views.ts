/** What is said of how often a publication was viewed. */
export const views = {
  views: 'Views',
  viewsByDay: 'By day',
  viewsDay: 'Day (UTC)',
  viewsMeans:
    'How often pages of it were opened; files that belong to pages are not counted. The figures are up to 10 seconds old.',
  viewsNone: 'Nobody opened it in the last 30 days.',
  viewsRefused: 'Wrong passwords',
  viewsRefusedTotal: {
    one: '{count} wrong password',
    other: '{count} wrong passwords',
  },
  viewsTotal: {
    one: '{count} view in the last 30 days',
    other: '{count} views in the last 30 days',
  },
} as const;
