/** Which licences a production dependency may have. They are read from the bill of materials. */
import type { BillOfMaterials, Component } from '../artifacts/bill-of-materials.ts';

/** Licences that ask for no more than their own text: what depends on the packages may have any other. */
const PERMITTED: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Unlicense',
  'Zlib',
]);

export function licenseRefusals(bills: readonly BillOfMaterials[]): readonly string[] {
  const components = bills.flatMap((bill) => bill.components);
  const refused = components
    .filter((component) => !licensesOf(component).some(isPermitted))
    .map((component) => `${component.name}@${component.version}: ${described(component)}`);
  return [...new Set(refused)].toSorted();
}

/** What a component says, an expression for each. CycloneDX writes a single licence and an expression differently. */
export function licensesOf({ licenses = [] }: Component): readonly string[] {
  return licenses.flatMap(
    ({ license, expression }) => expression ?? license?.id ?? license?.name ?? [],
  );
}

function described(component: Component): string {
  const licenses = licensesOf(component);
  return licenses.length === 0 ? 'no licence' : `licence ${licenses.join(', ')}`;
}

/**
 * Whether an expression such as `(MIT OR GPL-3.0-only) AND ISC` leaves a way that is permitted. An exception
 * (`WITH`) is refused: its text was not reviewed.
 */
export function isPermitted(expression: string): boolean {
  const words = expression.match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;

  const any = (): boolean => {
    let isAllowed = all();
    while (words[at] === 'OR') {
      at += 1;
      isAllowed = all() || isAllowed;
    }
    return isAllowed;
  };
  const all = (): boolean => {
    let isAllowed = one();
    while (words[at] === 'AND') {
      at += 1;
      isAllowed = one() && isAllowed;
    }
    return isAllowed;
  };
  const one = (): boolean => {
    const word = words[at++];
    if (word !== '(') return word !== undefined && PERMITTED.has(word);
    const isAllowed = any();
    return words[at++] === ')' && isAllowed;
  };

  const isAllowed = any();
  return isAllowed && at === words.length;
}
