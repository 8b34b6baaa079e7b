import { ApiError } from 'chancery';

/** True when something was not created because its namespace ends: trying again cannot help. */
export function isNamespaceEnding(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return (error.details.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating');
}
