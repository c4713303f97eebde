export function pick<Row extends object, Member extends keyof Row>(
  row: Row,
  members: readonly Member[],
): Pick<Row, Member> {
  return Object.fromEntries(members.map((member) => [member, row[member]])) as Pick<Row, Member>;
}
