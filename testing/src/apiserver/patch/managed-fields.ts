/** Who owns which field: what every write leaves behind, and what server-side apply acts upon. */
export type {
  ManagedFieldsEntry,
  RecordUpdateRequest,
  ServerSideApplyRequest,
  ServerSideApplyResult,
  WriteIdentity,
} from './managed-fields-entry.ts';
export { recordUpdate } from './record-update.ts';
export { serverSideApply } from './server-side-apply.ts';
