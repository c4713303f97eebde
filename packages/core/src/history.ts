export { actorOf, causeOf } from './domain/cause-of.ts';
export {
  createHistory,
  type EventListOutcome,
  type EventListRequest,
  type History,
  type HistoryOptions,
  type HistoryPorts,
  type HistorySweep,
} from './use-cases/history.ts';
