/** Compares `1.10` with `1.9` as versions: below 0 when `a` is the earlier one. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split('.').map(Number));
  const length = Math.max(left?.length ?? 0, right?.length ?? 0);
  for (let part = 0; part < length; part++) {
    const difference = (left?.[part] ?? 0) - (right?.[part] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

export function latestOf(versions: readonly (string | undefined)[]): string | undefined {
  const known = versions.filter((version) => version !== undefined);
  return known.toSorted(compareVersions).at(-1);
}

/** That in the tag, if there is one: `postgres:17.1-alpine` is 17.1. A digest tells nothing. */
export function versionOfImage(image: string): string | undefined {
  const [withTag = ''] = image.split('@');
  const version = /:([0-9]+(?:[.][0-9]+)*)[^/]*$/.exec(withTag)?.[1];
  return version !== undefined && version.length <= 10 ? version : undefined;
}
