#!/bin/sh
# Helm 4 discards what a post-renderer writes to stderr, so the results can go to a file or terminal instead.
[ -z "$FLINK_OPERATOR_ROLLOUT_LOG" ] || exec 2>>"$FLINK_OPERATOR_ROLLOUT_LOG"
exec flink-operator-rollout stream "$@"
