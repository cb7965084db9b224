#!/bin/sh
# Pins the images of docker-compose.yml and Dockerfile to their digests: sh ops/pin-images.sh, where Docker has a network.
# Each "name:tag" becomes "name:tag@sha256:…", as the tag stands now; run again it pins what the tags stand for by then.
set -eu
cd "$(dirname "$0")/.."
images=$(sed -nE 's/^ *image: ([^ @]+:[^ @]+)(@.*)?$/\1/p; s/^FROM ([^ @]+:[^ @]+)(@[^ ]*)?( .*)?$/\1/p' docker-compose.yml Dockerfile | sort -u)
for image in $images; do
  docker pull --quiet "$image" > /dev/null
  digest=$(docker image inspect --format '{{index .RepoDigests 0}}' "$image")
  digest=${digest##*@}
  case "$digest" in sha256:*) ;; *) echo "no digest of $image" >&2; exit 1 ;; esac
  for file in docker-compose.yml Dockerfile; do
    sed -E "s#(^ *image: |^FROM )$image(@sha256:[0-9a-f]+)?( |\$)#\\1$image@$digest\\3#" "$file" > "$file.pinned"
    cat "$file.pinned" > "$file"
    rm "$file.pinned"
  done
  echo "$image@$digest"
done
