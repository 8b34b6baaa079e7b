/** Who owns which field: what every write leaves behind, and what server-side apply acts upon. */

export { serverSideApply } from './apply/server-side-apply.ts';
export type {
  ManagedFieldsEntry,
  RecordUpdateRequest,
  ServerSideApplyRequest,
  ServerSideApplyResult,
  WriteIdentity,
} from './managers/managed-fields-entry.ts';
export { recordUpdate } from './managers/record-update.ts';
