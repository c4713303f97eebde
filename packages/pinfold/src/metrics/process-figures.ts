import { monitorEventLoopDelay } from 'node:perf_hooks';
import { freeBytes } from '../health/upload-disk.ts';
import type { Figures } from './registry.ts';

/** Says which release runs here, under which name. */
export function buildInfo(figures: Figures, version: string, node: string): void {
  const help = 'Which release runs on this node.';
  const build = figures.gauge({ name: 'pinfold_build_info', help, labels: ['version', 'node'] }, 'greatest');
  build.at(version, node).value = 1;
}

/** A moment that is over is seen for so long: longer than Prometheus waits between two looks. */
const WINDOW = 20_000;

/**
 * Measures how late timers are: the 99th percentile of the last 20 to 40 seconds.
 *
 * @returns ends it.
 */
export function loopDelay(figures: Figures): () => void {
  const delay = figures
    .gauge(
      {
        name: 'pinfold_eventloop_delay_seconds',
        help: 'How late the event loop is, at the 99th percentile.',
      },
      'greatest',
    )
    .at();
  const resolution = 20;
  const histogram = monitorEventLoopDelay({ resolution });
  histogram.enable();
  let before = 0;
  const late = (): number => Math.max(0, histogram.percentile(99) / 1e9 - resolution / 1_000);
  const turn = setInterval(() => {
    before = late();
    histogram.reset();
  }, WINDOW);
  turn.unref();
  figures.measure(() => {
    delay.value = Math.max(before, late());
  });
  return () => {
    clearInterval(turn);
    histogram.disable();
  };
}

/** Measures the room for uploads: asked for with each look, told with the next one, so that a disk that hangs keeps none waiting. */
export function freeSpace(figures: Figures, folder: string): void {
  const help = 'Room on the disk that uploads are received on.';
  const free = figures.gauge({ name: 'pinfold_staging_free_bytes', help, labels: [] }, 'greatest');
  let asking = false;
  const ask = async (): Promise<void> => {
    asking = true;
    try {
      free.at().value = await freeBytes(folder);
    } catch {
      free.at().value = 0;
    } finally {
      asking = false;
    }
  };
  void ask();
  figures.measure(() => {
    if (!asking) void ask();
  });
}
