export { askTrustSignals, type FeedbackKind, readTrustSignals, recordFeedback } from './feedback.ts';
export {
  askUserProfile,
  getUserProfile,
  storeBehaviour,
  storeRemGraph,
  storeTrust,
  type UserProfile,
} from './profile.ts';
export { type Reflection, storeReflection } from './reflection.ts';
