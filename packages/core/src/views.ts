export { createViews, type ViewCounter, type ViewPorts, type Views } from './use-cases/views.ts';
