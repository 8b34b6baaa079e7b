/** Query parameters; those that are undefined, false or empty are left out. */
export type QueryParameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** `path`, followed by `?` and the parameters where there are any. */
export function withQuery(path: string, parameters: QueryParameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || value === false || value === '') continue;
    query.append(name, String(value));
  }
  return query.size === 0 ? path : `${path}?${query}`;
}
