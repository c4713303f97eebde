export { causeOf } from './domain/actor.ts';
export {
  FeedError,
  type FeedItem,
  type FeedOutcome,
  type FeedPage,
  type FeedRequest,
  type FollowRequest,
} from './use-cases/feed.ts';
export {
  createHistory,
  type EventListRequest,
  type History,
  type HistoryOptions,
  type HistoryPorts,
  type HistorySweep,
} from './use-cases/history.ts';
