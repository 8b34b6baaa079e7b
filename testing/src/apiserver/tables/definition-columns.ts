import type { StoredObject } from '../objects/stored-object.ts';
import { AGE, conditionHolds, itemsAt, joined, NAME, text } from './cell.ts';
import { BOOLEAN, column, type TableColumn } from './column.ts';

/** The served versions of a definition. The stored version is marked. */
function versions(definition: StoredObject): string {
  return itemsAt(definition, 'spec.versions')
    .filter(({ served }) => served === true)
    .map(({ name, storage }) => (storage === true ? `${name}(storage)` : String(name)))
    .toSorted()
    .join(',');
}

function wide(description: string): Partial<TableColumn> {
  return { priority: 1, description };
}

/**
 * The columns of a CustomResourceDefinition since 1.37 (k8s.io/apiextensions-apiserver,
 * pkg/registry/customresourcedefinition/tableconvertor).
 */
export const DEFINITION_COLUMNS: readonly TableColumn[] = [
  NAME,
  column('Scope', text('spec.scope'), { description: 'Cluster/Namespaced' }),
  column('Versions', versions, { description: 'Served versions' }),
  column('Created At', ({ metadata }) => metadata.creationTimestamp, {
    type: 'date',
    description: AGE.description,
  }),
  column('Group', text('spec.group'), wide('API group')),
  column('Kind', text('spec.names.kind'), wide('CustomResource kind')),
  column('ShortNames', joined('spec.names.shortNames'), wide('Short names')),
  column('Established', (definition) => conditionHolds(definition, 'Established'), {
    ...BOOLEAN,
    ...wide('Established status'),
  }),
];
