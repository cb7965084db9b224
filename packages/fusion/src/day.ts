/** The day of an instant, YYYY-MM-DD in UTC; null outside of what a date can hold. @param at epoch ms */
export function dayOf(at: number): string | null {
  return Math.abs(at) <= 8.64e15 ? new Date(at).toISOString().split('T')[0]! : null;
}
