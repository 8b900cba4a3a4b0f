# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# apt.sh - sourced: packages from the Debian mirror this machine uses, with nothing of it
# installed and nothing of this machine's apt changed.
#
#	apt_private DIR ARCH LINE...	configure and read the lists; LINE: "deb-src sid"
#	apt-get -c DIR/conf ...		then works on these lists alone, in DIR
#	apt_sources DIR PACKAGE		lines "10.2.2 1:10.2.2+ds-1 unstable" of the source
#					packages that these lists have, the newest first
#	$apt_suites			all that may have an older or a newer version
#	waymark_cache			print the cache's folder, made if it is not there
#
# apt checks signature -> lists -> SHA256 of each file it downloads. The sourcing script
# defines say() and die(). WAYMARK_DEBIAN_MIRROR is the mirror's address, if apt here is
# not set up for Debian.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
# shellcheck disable=SC2034 # for those that source this
apt_suites="oldstable oldstable-backports stable stable-backports testing unstable"

waymark_cache() {
	[ -n "${WAYMARK_CACHE-}${XDG_CACHE_HOME-}${HOME-}" ] ||
		die "there is no HOME to keep files in: set it, or WAYMARK_CACHE"
	: "${WAYMARK_CACHE:=${XDG_CACHE_HOME:-${HOME-}/.cache}/waymark}"
	mkdir -p "$WAYMARK_CACHE" || die "cannot make the cache $WAYMARK_CACHE"
	cache=$(cd "$WAYMARK_CACHE" && pwd)
	case $cache in
	*[!A-Za-z0-9/._+:@%=,-]*) die "the cache's path has characters apt cannot take: $cache" ;;
	esac
	printf '%s\n' "$cache"
}

apt_mirror() {
	if [ -n "${WAYMARK_DEBIAN_MIRROR-}" ]; then
		printf '%s\n' "$WAYMARK_DEBIAN_MIRROR"
		return
	fi
	# shellcheck disable=SC2016 # $(...) is apt's own notation
	apt-get indextargets --format '$(LABEL)|$(REPO_URI)' 'Created-By: Packages' |
		sed -n 's/^Debian|//p' | sed -n 1p
}

apt_private() {
	apt=$1 arch=$2
	shift 2
	command -v apt-get >/dev/null || die "there is no apt-get here: this needs Debian or its kin"
	uri=$(apt_mirror)
	[ -n "$uri" ] || die "apt knows no Debian mirror here; set WAYMARK_DEBIAN_MIRROR"
	[ -f "$keyring" ] || die "no $keyring; install debian-archive-keyring"

	mkdir -p "$apt/etc" "$apt/state/lists/partial" "$apt/cache/archives/partial"
	: >"$apt/state/status"
	: >"$apt/etc/preferences"
	for line; do
		printf '%s [arch=%s signed-by=%s] %s %s main\n' \
			"${line%% *}" "$arch" "$keyring" "$uri" "${line#* }"
	done >"$apt/etc/sources.list"

	# Only sources, state and cache are private: a proxy set for this machine's apt still
	# applies. Its hooks do not: they would clean the machine's own cache.
	cat >"$apt/conf" <<-END
		APT::Architecture "$arch";
		#clear APT::Architectures;
		APT::Architectures { "$arch"; };
		APT::Install-Recommends "false";
		APT::Sandbox::User "$(id -un)";
		APT::Update::Error-Mode "any";
		#clear APT::Update::Pre-Invoke;
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
		Acquire::Languages "none";
		Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
		Acquire::Retries "3";
		Debug::NoLocking "true";
		Dir::Etc::SourceList "$apt/etc/sources.list";
		Dir::Etc::SourceParts "/dev/null";
		Dir::Etc::Preferences "$apt/etc/preferences";
		Dir::Etc::PreferencesParts "/dev/null";
		Dir::State "$apt/state";
		Dir::State::Status "$apt/state/status";
		Dir::Cache "$apt/cache";
		#clear Dir::Cache::Archives;
		Dir::Cache::Archives "archives/";
	END
	apt-get -c "$apt/conf" -qq update >&2 || die "apt-get update failed"
}

apt_sources() {
	apt-cache -c "$1/conf" madison "$2" |
		sed -n "s/^ *$2 *| *\([0-9]*:\)\{0,1\}\([0-9.]*\)\([^ ]*\) *| [^ ]* \([^ \/]*\)[^ ]* Sources\$/\2 \1\2\3 \4/p" |
		sort -rV | awk '!seen[$2]++'
}
