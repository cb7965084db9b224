export { type FeedbackKind, readTrustSignals, recordFeedback } from './feedback.ts';
export { getUserProfile, storeBehaviour, storeRemGraph, storeTrust, type UserProfile } from './profile.ts';
export { type Reflection, storeReflection } from './reflection.ts';
