export type { AnsweredRequest } from './requests.ts';
export { createTelemetry, type Telemetry, type TelemetryOptions } from './telemetry.ts';
