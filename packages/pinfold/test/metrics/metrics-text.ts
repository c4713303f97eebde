/** The answer of `GET /metrics`. */
export async function metricsText(port: number | undefined): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  if (answer.status !== 200) throw new Error(`metrics are answered with ${answer.status}`);
  return answer.text();
}

/** The value of a series, or `undefined` if there is none; labels as in the text. */
export function metricOf(text: string, series: string): number | undefined {
  const line = text.split('\n').find((written) => written.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}
