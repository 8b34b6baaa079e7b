import type { Environment as CelEnvironment } from '@marcbachmann/cel-js';

/** A semantic version, parsed like in `github.com/blang/semver/v4`. */
class CelSemver {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly prerelease: readonly string[];

  constructor(numbers: readonly [bigint, bigint, bigint], prerelease: readonly string[]) {
    this.numbers = numbers;
    this.prerelease = prerelease;
  }

  /** Returns -1, 0 or 1. Build metadata is ignored. */
  compareTo(other: CelSemver): bigint {
    for (const [index, number] of this.numbers.entries()) {
      const against = other.numbers[index] ?? 0n;
      if (number !== against) return number > against ? 1n : -1n;
    }
    return comparePrereleases(this.prerelease, other.prerelease);
  }
}

const MAX_UINT64 = 2n ** 64n - 1n;

/** Registers `semver`, `isSemver` and the methods of versions. Kubernetes has had them since 1.33. */
export function registerVersionFunctions(environment: CelEnvironment): void {
  const type = 'kubernetes.Semver';
  const can = (text: string, isLenient: boolean): boolean => {
    try {
      read(text, isLenient);
      return true;
    } catch {
      return false;
    }
  };
  environment
    .registerType(type, CelSemver)
    .registerOperator(`${type} == ${type}`, (a: CelSemver, b: CelSemver) => a.compareTo(b) === 0n)
    .registerFunction(`semver(string): ${type}`, (text: string) => read(text, false))
    .registerFunction(`semver(string, bool): ${type}`, read)
    .registerFunction('isSemver(string): bool', (text: string) => can(text, false))
    .registerFunction('isSemver(string, bool): bool', can)
    .registerFunction(`${type}.major(): int`, ({ numbers }: CelSemver) => numbers[0])
    .registerFunction(`${type}.minor(): int`, ({ numbers }: CelSemver) => numbers[1])
    .registerFunction(`${type}.patch(): int`, ({ numbers }: CelSemver) => numbers[2])
    .registerFunction(`${type}.compareTo(${type}): int`, (a: CelSemver, b: CelSemver) =>
      a.compareTo(b),
    )
    .registerFunction(
      `${type}.isGreaterThan(${type}): bool`,
      (a: CelSemver, b: CelSemver) => a.compareTo(b) === 1n,
    )
    .registerFunction(
      `${type}.isLessThan(${type}): bool`,
      (a: CelSemver, b: CelSemver) => a.compareTo(b) === -1n,
    );
}

/** @param isLenient - whether to accept a leading `v`, leading zeros and missing numbers. */
function read(text: string, isLenient: boolean): CelSemver {
  return parse(isLenient ? normalized(text) : text);
}

function normalized(text: string): string {
  const [major = '', minor, ...patch] = text.replace(/^v/, '').split('.');
  const given = [
    major,
    ...(minor === undefined ? [] : [minor]),
    ...(patch.length > 0 ? [patch.join('.')] : []),
  ];
  const parts = given.map((part) =>
    part.length > 1 ? part.replace(/^0+(?=[0-9])/, '').replace(/^0+(?![0-9])/, '0') : part,
  );
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) {
    throw new Error('short version cannot contain PreRelease/Build meta data');
  }
  while (parts.length < 3) parts.push('0');
  return parts.join('.');
}

function parse(text: string): CelSemver {
  if (text === '') throw new Error('Version string empty');
  const [major, minor, ...rest] = text.split('.');
  if (major === undefined || minor === undefined || rest.length === 0) {
    throw new Error('No Major.Minor.Patch elements found');
  }
  const last = rest.join('.');
  const plus = last.indexOf('+');
  const before = plus < 0 ? last : last.slice(0, plus);
  const dash = before.indexOf('-');
  const numbers = [
    numberOf(major, 'major'),
    numberOf(minor, 'minor'),
    numberOf(dash < 0 ? before : before.slice(0, dash), 'patch'),
  ] as const;
  const prerelease = dash < 0 ? [] : before.slice(dash + 1).split('.');
  for (const part of prerelease) requirePrerelease(part);
  for (const part of plus < 0 ? [] : last.slice(plus + 1).split('.')) requireBuild(part);
  return new CelSemver(numbers, prerelease);
}

function numberOf(text: string, which: 'major' | 'minor' | 'patch'): bigint {
  const title = `${which.charAt(0).toUpperCase()}${which.slice(1)}`;
  if (/[^0-9]/.test(text)) {
    throw new Error(`Invalid character(s) found in ${which} number ${JSON.stringify(text)}`);
  }
  if (/^0./.test(text)) {
    throw new Error(`${title} number must not contain leading zeroes ${JSON.stringify(text)}`);
  }
  if (text === '') throw new Error('strconv.ParseUint: parsing "": invalid syntax');
  const number = BigInt(text);
  if (number <= MAX_UINT64) return number;
  throw new Error(`strconv.ParseUint: parsing ${JSON.stringify(text)}: value out of range`);
}

function requirePrerelease(part: string): void {
  if (part === '') throw new Error('Prerelease is empty');
  if (/^0[0-9]+$/.test(part)) {
    throw new Error(
      `Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(part)}`,
    );
  }
  if (/[^0-9A-Za-z-]/.test(part)) {
    throw new Error(`Invalid character(s) found in prerelease ${JSON.stringify(part)}`);
  }
}

function requireBuild(part: string): void {
  if (part === '') throw new Error('Build meta data is empty');
  if (/[^0-9A-Za-z-]/.test(part)) {
    throw new Error(`Invalid character(s) found in build meta data ${JSON.stringify(part)}`);
  }
}

/**
 * Compares prerelease identifiers. A release comes after its prereleases. A numeric identifier comes before
 * an identifier with letters.
 */
function comparePrereleases(left: readonly string[], right: readonly string[]): bigint {
  if (left.length === 0 || right.length === 0) {
    return left.length === right.length ? 0n : left.length === 0 ? 1n : -1n;
  }
  for (const [index, part] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1n;
    const [isNumber, isOtherNumber] = [/^[0-9]+$/.test(part), /^[0-9]+$/.test(other)];
    if (isNumber !== isOtherNumber) return isNumber ? -1n : 1n;
    if (part === other) continue;
    const isLater = isNumber ? BigInt(part) > BigInt(other) : part > other;
    return isLater ? 1n : -1n;
  }
  return left.length === right.length ? 0n : -1n;
}
