export function tides() {
  return 'high at noon';
}
