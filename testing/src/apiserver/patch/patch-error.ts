import { ApiError } from 'chancery/internal-objects';

/** What the server says of every patch that cannot be carried out: no more than this. */
export const UNPROCESSABLE = {
  status: 'Failure',
  message: 'the server rejected our request due to an error in our request',
  reason: 'Invalid',
  details: {},
  code: 422,
} as const;

export function unprocessablePatch(): ApiError {
  return new ApiError(UNPROCESSABLE);
}
