# SPDX-License-Identifier: GPL-2.0
"""Profiles of machines whose memory hierarchy is known."""
